import { inspect } from 'node:util';
import { Logger as Powertools } from '@aws-lambda-powertools/logger';
import { PowertoolsLogger } from '../../lambda/adapters/powertools-logger';
import type { JsonValue } from '../../lambda/contract';
import { Consumer } from '../../lambda/consumer/consumer';
import type { SqsRecord } from '../../lambda/consumer/sqs-event';
import { PermanentError } from '../../lambda/job';
import { ErrorTexts } from '../../lambda/job/error-texts';
import { JobSetup } from '../../lambda/job/environment';
import type { AnyJob } from '../../lambda/job/job';
import { KnownSecrets } from '../../lambda/job/known-secrets';
import { TellingLogger } from '../../lambda/job/telling-logger';
import type { SendEntry } from '../../lambda/ports';
import { FANOUT, Fixture, JOB, jobOver, tick } from './scanner/fixture';

/** In every value of a record but its key. */
const PAYLOAD = 'PAYLOAD-MARK';
/** The value of a secret. */
const SECRET = 'SECRET-MARK';
/** In every text that is thrown; `redact` takes it out. */
const WORD = 'ERROR-MARK';
const REDACTED = '[taken out]';

/** An error as clients throw them: with the secret and the record in it. */
function clientError(): Error {
  return Object.assign(new TypeError(`${WORD}: login with ${SECRET} refused`), {
    detail: `Key (text)=(${PAYLOAD}) already exists`,
    config: { headers: { authorization: SECRET } },
    cause: new Error(`${WORD} ${SECRET}`),
  });
}

const throwing = (): never => {
  throw clientError();
};

/** A schema whose library tells the value that it refuses. */
const talkative = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({
      issues: [{ message: `expected a number, received ${JSON.stringify(value)}`, path: ['text'] }],
    }),
  },
};

const record = { id: 'r0', text: PAYLOAD };
const redact = (text: string): string => text.replaceAll(WORD, REDACTED);
const job = (parts: Record<string, unknown> = {}): AnyJob =>
  jobOver(() => [record, { id: 'r1', text: PAYLOAD }], {
    redact,
    setup: async ({ secret }: { secret: (name: string) => Promise<string> }) => ({ db: await secret('DB') }),
    ...parts,
  });

/** A fanout with the logger that is deployed, and everything that it wrote anywhere. */
class Watched {
  readonly fixture: Fixture;
  readonly dead: SendEntry[] = [];
  readonly thrown: unknown[] = [];
  written = '';
  private readonly parts;

  constructor(
    jobs: readonly AnyJob[],
    readonly level: 'INFO' | 'DEBUG',
  ) {
    this.fixture = new Fixture({ jobs });
    const { registry } = this.fixture.context;
    const secrets = new KnownSecrets({ read: () => Promise.resolve(SECRET) });
    const errors = new ErrorTexts(registry, secrets.mask);
    const logger = new PowertoolsLogger(() => new Powertools({ logLevel: level }));
    const setup = new JobSetup(registry, { secrets, logger: new TellingLogger(logger, errors) });
    this.parts = { errors, logger, setup };
  }

  async scan(event: unknown = tick(), parts = {}): Promise<this> {
    await this.listen(() => this.fixture.invoke(event, { ...this.parts, ...parts }));
    return this;
  }

  /** Delivers the messages of the queue, or bodies of the test's own. */
  async consume(
    options: { bodies?: readonly string[]; receiveCount?: number; jobs?: AnyJob; deadLetterQueueFails?: boolean } = {},
  ): Promise<this> {
    const { fixture, parts } = this;
    const { bodies = fixture.queue.messages.map(({ body }) => body), receiveCount = 1 } = options;
    const registry = options.jobs === undefined ? fixture.context.registry : new Map([[JOB, options.jobs]]);
    const consumer = new Consumer({
      ...fixture.context,
      ...parts,
      ...(options.jobs !== undefined && {
        setup: { dependenciesOf: () => Promise.resolve({}) },
        errors: new ErrorTexts(registry, (text) => text.replaceAll(SECRET, '[secret DB]')),
      }),
      fanoutId: FANOUT,
      jobs: registry,
      deadLetterQueue: {
        changeVisibility: () => Promise.resolve(0),
        sendBatch: (entries) => {
          if (options.deadLetterQueueFails === true) {
            return Promise.reject(clientError());
          }
          this.dead.push(...entries);
          return Promise.resolve({ accepted: entries.map(({ id }) => id), failed: [] });
        },
      },
      exit: () => undefined,
    });
    const Records = bodies.map((body, place): SqsRecord => ({
      messageId: `m${place}`,
      receiptHandle: `h${place}`,
      body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        ApproximateFirstReceiveTimestamp: '1',
        MessageGroupId: `g${place}`,
      },
    }));
    await this.listen(() => fixture.run(consumer.handle({ Records }, { getRemainingTimeInMillis: () => 60_000 })));
    return this;
  }

  /** All items of the table. */
  get stored(): string {
    return inspect(this.fixture.memory.items(), { depth: null });
  }

  /** What the functions threw: Lambda logs it, and sends it to the failure queue. */
  get left(): string {
    return inspect(this.thrown, { depth: null, showHidden: true });
  }

  private async listen(work: () => Promise<unknown>): Promise<void> {
    const spies = [process.stdout, process.stderr].map((stream) =>
      jest.spyOn(stream, 'write').mockImplementation((text) => {
        this.written += String(text);
        return true;
      }),
    );
    try {
      await work();
    } catch (error) {
      this.thrown.push(error);
    } finally {
      spies.forEach((spy) => {
        spy.mockRestore();
      });
    }
  }
}

type Story = (watched: (parts?: Record<string, unknown>) => Watched) => Promise<Watched>;

const failingQueue = (answer: () => Promise<never>) => ({
  queue: { changeVisibility: () => Promise.reject(clientError()), sendBatch: answer },
});

const refusing = {
  queue: {
    changeVisibility: () => Promise.resolve(0),
    sendBatch: (entries: readonly SendEntry[]) =>
      Promise.resolve({
        accepted: [],
        failed: entries.map(({ id }) => ({ id, code: 'Bad', message: `${WORD} ${SECRET}`, senderFault: true })),
      }),
  },
};

/** What goes wrong; each ends in a log, and some of them in the table or in the dead-letter queue. */
const SCANS: Readonly<Record<string, Story>> = {
  'setup of the scanner throws': (watched) =>
    watched({
      setup: async ({ secret }: { secret: (name: string) => Promise<string> }) => {
        throw Object.assign(clientError(), { db: await secret('DB') });
      },
    }).scan(),
  'the source throws': (watched) =>
    watched({
      source: async function* () {
        yield { record, cursor: 1 };
        throwing();
      },
    }).scan(),
  'schema refuses, in words that hold the value': (watched) => watched({ schema: talkative }).scan(),
  'schema throws': (watched) =>
    watched({ schema: { '~standard': { version: 1, vendor: 'test', validate: throwing } } }).scan(),
  'key throws': (watched) => watched({ key: throwing }).scan(),
  'group throws': (watched) => watched({ group: throwing }).scan(),
  'queuePayload throws': (watched) => watched({ queuePayload: throwing }).scan(),
  'payloadSchema refuses': (watched) => watched({ queuePayload: () => PAYLOAD, payloadSchema: talkative }).scan(),
  'JSON has no such value': (watched) => watched({ queuePayload: () => ({ text: new Set([PAYLOAD]) }) }).scan(),
  'the record throws as it is written': (watched) =>
    watched({
      queuePayload: () => ({
        get text() {
          return throwing();
        },
      }),
    }).scan(),
  'a message is too large': (watched) => watched({ queuePayload: () => PAYLOAD.repeat(100_000) }).scan(),
  'SQS refuses a record': (watched) => watched().scan(tick(), refusing),
  'SQS cannot be reached': (watched) =>
    watched().scan(
      tick(),
      failingQueue(() => Promise.reject(clientError())),
    ),
  'the table cannot be reached': (watched) => {
    const story = watched();
    const { memory } = story.fixture;
    const put = memory.put.bind(memory);
    // Once the secret is read: what was never read cannot be known.
    memory.put = (item, condition) => (item.sk.startsWith('KEYS') ? throwing() : put(item, condition));
    return story.scan();
  },
  'the event is none': (watched) => watched().scan({ kind: 'unlike', params: PAYLOAD, password: SECRET }),
};

const consumed =
  (parts: Record<string, unknown>, options?: Parameters<Watched['consume']>[0]): Story =>
  async (watched) => {
    const story = await watched().scan();
    return story.consume({ jobs: job(parts), ...options });
  };

const CALLS: Readonly<Record<string, Story>> = {
  'the handler throws': consumed({ handler: throwing }),
  'the handler throws for the last time': consumed({
    handler: () => {
      throw new PermanentError(clientError().message, { cause: clientError() });
    },
  }),
  'the handler throws what is no error': consumed({
    handler: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- as handlers do
      throw { code: WORD, token: SECRET };
    },
  }),
  'the handler logs an error': consumed({
    handler: (_: unknown, { log }: { log: { error: (text: string, fields: object) => void } }) => {
      log.error('the client failed', { error: clientError() });
    },
  }),
  'load throws': consumed({ load: throwing }),
  'stillEligible throws': consumed({ stillEligible: throwing }),
  'retryIf throws': consumed({ handler: throwing, retryIf: throwing }),
  'upgrade throws': consumed({ payloadVersion: 2, upgrade: throwing }),
  'upgrade gives up': consumed({
    payloadVersion: 2,
    upgrade: () => {
      throw new PermanentError(clientError().message);
    },
  }),
  'the schema refuses the payload': consumed({ schema: talkative }),
  'the schema throws at the payload': consumed({
    schema: { '~standard': { version: 1, vendor: 'test', validate: throwing } },
  }),
  'the dead-letter queue fails': consumed(
    { handler: () => Promise.reject(new PermanentError(WORD)) },
    { deadLetterQueueFails: true },
  ),
  'the last receive': consumed({ handler: throwing }, { receiveCount: 100 }),
  'redact itself throws': consumed({ handler: throwing, redact: throwing }),
  'bodies that nobody can read': consumed(
    {},
    { bodies: [PAYLOAD, JSON.stringify({ v: 9, payload: PAYLOAD }), JSON.stringify({ v: 1, payload: PAYLOAD })] },
  ),
};

const without = (text: string, ...marks: string[]): void => {
  expect(marks.filter((mark) => text.includes(mark))).toEqual([]);
};

describe.each(Object.entries({ ...SCANS, ...CALLS }))('%s', (name, story) => {
  test.each(['INFO', 'DEBUG'] as const)('at level %s', async (level) => {
    const watched = await story((parts) => new Watched([job(parts)], level));
    expect(watched.written + watched.left).toMatch(/\w/);
    without(watched.written, SECRET, WORD);
    without(watched.stored, SECRET, WORD);
    without(watched.left, SECRET, WORD, PAYLOAD);
    const isSchemas = name.includes('chema refuses');
    if (level === 'INFO' || !isSchemas) {
      without(watched.written, PAYLOAD);
    }
    // A dead message holds what was queued, and of its errors what may be told.
    for (const { body } of watched.dead) {
      without(JSON.stringify((JSON.parse(body) as { death: JsonValue }).death), SECRET, WORD);
    }
    // What a schema says of a value is kept in the ledger, as `redact` leaves it; nothing else there holds values.
    if (!isSchemas) {
      without(watched.stored, PAYLOAD);
    }
  });
});

test('control: what may be told is told', async () => {
  const watched = await consumed({ handler: throwing })((parts) => new Watched([job(parts)], 'INFO'));
  expect(watched.written).toContain(`TypeError: ${REDACTED}: login with [secret DB] refused`);
  expect(watched.stored).toContain(REDACTED);
});
