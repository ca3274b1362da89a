import { PermanentError } from '../../lambda/job';
import { Harness, job, message } from './consumer/harness';
import { Fixture, someRecords } from './scanner/fixture';

/** What a line says, with the fields of the loggers that it went through. */
interface Line {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Everything in a line that names a record: the line itself, or what is in its lists. */
function mentions({ fields }: Line): Readonly<Record<string, unknown>>[] {
  const { runId, jobType } = fields;
  const lists = Object.values(fields).filter((value): value is Record<string, unknown>[] => Array.isArray(value));
  return [fields, ...lists.flat().map((one) => ({ runId, jobType, ...one }))].filter((one) => 'key' in one);
}

function expectComplete(lines: readonly Line[], messages: readonly string[]): void {
  for (const line of lines) {
    for (const mention of mentions(line)) {
      expect([line.message, mention]).toEqual([
        line.message,
        expect.objectContaining({
          runId: expect.any(String) as string,
          jobType: expect.any(String) as string,
          key: expect.any(String) as string,
        }),
      ]);
    }
  }
  // Control: they were written, and name a record.
  const found = lines.filter((line) => mentions(line).length > 0).map(({ message: text }) => text);
  expect(found).toEqual(expect.arrayContaining([...messages]));
}

describe('every line about a record has its run, its job type and its key', () => {
  it('in the consumer', async () => {
    const handler = ({ id }: { readonly id: string }): void => {
      if (id === 'dies') {
        throw new PermanentError('no such address');
      }
      if (id !== 'good') {
        throw new Error('the vendor is down');
      }
    };
    const retryIf = (): boolean => {
      throw new Error('a mistake');
    };
    const harness = await new Harness([job(handler, { retryIf })]).seed([4]);
    const keys = ['good', 'fails', 'dies', 'stuck'];
    let isDown = false;
    harness.deadLetterQueue.beforeSend = () => {
      if (isDown) {
        throw new Error('the queue is away');
      }
    };
    await harness.deliver(keys.slice(0, 3).map((key, ordinal) => message({ ordinal, key, payload: { id: key } })));
    isDown = true;
    await harness.deliver([message({ ordinal: 3, key: 'stuck', payload: { id: 'dies' } })]);
    await harness.deliver([message({ ordinal: 1, key: 'fails', payload: { id: 'fails' }, receiveCount: 2 })]);
    expectComplete(harness.logger.lines, [
      'an attempt failed',
      'retryIf threw; the record is retried',
      'a record died',
      'a death could not be carried out yet',
      'messages of a lane come back',
    ]);
  });

  it('in the consumer, where an outcome cannot be stored', async () => {
    const harness: Harness = await new Harness([
      job(() => {
        harness.store.before = () => {
          throw new Error('the table is away');
        };
      }),
    ]).seed([1]);
    await harness.deliver([message()]);
    expectComplete(harness.logger.lines, ['an outcome could not be stored']);
  });

  it('in the scanner', async () => {
    const fixture = new Fixture({ records: [...someRecords(3), { id: '' }] });
    const lines: Line[] = [];
    const logger = (fields: Readonly<Record<string, unknown>>): typeof fixture.context.logger => {
      const write = (text: string, more: Readonly<Record<string, unknown>> = {}): void => {
        lines.push({ message: text, fields: { ...fields, ...more } });
      };
      return {
        ...{ debug: write, info: write, warn: write, error: write },
        with: (more) => logger({ ...fields, ...more }),
      };
    };
    fixture.queue.faults.push(([first, ...rest], accept) => {
      accept(rest);
      const failed = [{ id: first!.id, code: 'InvalidMessageContents', message: 'no', senderFault: true }];
      return { accepted: rest.map(({ id }) => id), failed };
    });
    await fixture.invoke(undefined, { logger: logger({}) });
    expectComplete(lines, ['SQS refused a record', 'records were rejected']);
  });
});
