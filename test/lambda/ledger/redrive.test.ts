import type { DeadItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import type { RedriveContext } from '../../../lambda/ledger';
import { groupId, redriveDead } from '../../../lambda/ledger';
import { PermanentError } from '../../../lambda/job';
import { recordOf } from '../../../lambda/simulation/event-source-mapping';
import { deleteReceived, EngineMessageQueue, receive, SqsEngine, type Queue } from '../../../lambda/simulation/sqs';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { envelopeOf, FANOUT, Harness, job, JOB, message, RUN } from '../consumer/harness';
import { encodeEnvelope } from '../../../lambda/ledger/envelope';

/** A consumer between two queues of the engine whose record 0 has died, and what its handler did since. */
class Operations {
  fails = true;
  calls: number[] = [];
  readonly harness: Harness;
  readonly engine: SqsEngine;
  readonly work: Queue;
  readonly deadLetters: Queue;
  readonly context: RedriveContext;

  constructor() {
    this.harness = new Harness([
      job((_, { attempt }) => {
        this.calls.push(attempt);
        if (this.fails) {
          throw new PermanentError('not now');
        }
      }),
    ]);
    const { clock, store, randomness } = this.harness;
    this.engine = new SqsEngine({ clock, randomness: new SeededRandomness(3) });
    this.deadLetters = this.engine.createQueue('dead.fifo', { FifoQueue: 'true' });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: this.deadLetters.arn, maxReceiveCount: 50 });
    this.work = this.engine.createQueue('work.fifo', { FifoQueue: 'true', RedrivePolicy });
    this.harness.start({ deadLetterQueue: new EngineMessageQueue(this.deadLetters) });
    const queue = new EngineMessageQueue(this.work);
    this.context = { store, clock, randomness, queue, fanoutId: FANOUT, ledgerRetention: 1_641_600 };
  }

  async die(run: object = {}): Promise<string> {
    await this.harness.seed([2], run);
    await this.harness.deliver([message({ group: 'acme' })]);
    const body = this.body();
    this.fails = false;
    this.calls = [];
    return body;
  }

  /** Body of the first message in the dead-letter queue. */
  body(): string {
    return receive(this.deadLetters, { limit: 1, visibilitySeconds: 0 })[0]!.body;
  }

  /** Hands everything that is in the work queue to the consumer; answers the SQS groups. */
  async drain(): Promise<(string | undefined)[]> {
    const received = receive(this.work, { limit: 10 });
    const records = received.map((one) => recordOf(one, this.work.arn));
    const { batchItemFailures } = await this.harness.deliver(records as never);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    received.forEach(({ messageId, receiptHandle }) => {
      if (!failed.has(messageId)) {
        deleteReceived(this.work, receiptHandle!);
      }
    });
    return received.map((one) => one.groupId);
  }

  dead(): DeadItem {
    return this.harness.dead()[0]!;
  }
}

describe('PROTOCOL 4.6: a redrive by our tools', () => {
  it('B44: sends the message in its own group, and its handler runs once more, with new attempts', async () => {
    const operations = new Operations();
    const body = await operations.die();
    expect(await redriveDead(operations.context, body)).toEqual({ kind: 'sent' });
    expect(operations.dead().state).toBe('redriven');
    expect(await operations.drain()).toEqual([groupId(JOB, 'acme')]);
    expect(operations.calls).toEqual([1]);
    expect(operations.dead().state).toBe('succeeded');
    expect(await operations.harness.page()).toMatchObject({ dead: new Set([0]) });
  });

  it('B44: within five minutes a second redrive reaches the queue, and runs the handler no second time', async () => {
    const operations = new Operations();
    const body = await operations.die();
    await redriveDead(operations.context, body);
    expect(await redriveDead(operations.context, body)).toEqual({ kind: 'sent' });
    expect(operations.work.counts().visible).toBe(2);
    expect(await operations.drain()).toHaveLength(2);
    expect(operations.calls).toEqual([1]);
    expect(await redriveDead(operations.context, body)).toEqual({ kind: 'over', state: 'succeeded' });
    expect(operations.work.counts()).toMatchObject({ visible: 0, inFlight: 0 });
  });

  it('B44: a redrive that dies can be redriven at once', async () => {
    const operations = new Operations();
    const body = await operations.die();
    operations.fails = true;
    await redriveDead(operations.context, body);
    await operations.drain();
    operations.fails = false;
    expect(await redriveDead(operations.context, body)).toEqual({ kind: 'over', state: 'deadAgain' });
    const [, second] = receive(operations.deadLetters, { limit: 10 });
    expect(await redriveDead(operations.context, second!.body)).toEqual({ kind: 'sent' });
    await operations.drain();
    expect(operations.harness.dead().map(({ state }) => state)).toEqual(['deadAgain', 'succeeded']);
  });

  it('marks the death before it sends: a send that fails leaves it in flight, to be repeated', async () => {
    const operations = new Operations();
    const body = await operations.die();
    const away = { ...operations.context.queue, sendBatch: () => Promise.reject(new Error('the queue is away')) };
    await expect(redriveDead({ ...operations.context, queue: away }, body)).rejects.toThrow('away');
    expect(operations.dead().state).toBe('redriven');
    expect(await redriveDead(operations.context, body)).toEqual({ kind: 'sent' });
    await operations.drain();
    expect(operations.calls).toEqual([1]);
  });

  it('notes the redrive in the index before it marks the death', async () => {
    const operations = new Operations();
    const body = await operations.die();
    const { store } = operations.context;
    const broken = {
      ...store,
      put: store.put.bind(store),
      get: store.get.bind(store),
      update: () => Promise.reject(new Error('away')),
    };
    await expect(redriveDead({ ...operations.context, store: broken as never }, body)).rejects.toThrow('away');
    const { deathId, diedAt, state } = operations.dead();
    expect(state).toBe('dead');
    expect(await store.get(ITEM_KEYS.openRedrive(FANOUT, deathId))).toMatchObject({ deathId, diedAt, jobType: JOB });
  });

  it('throws where the queue refuses the message, and renews the life of the DEAD item', async () => {
    const operations = new Operations();
    const body = await operations.die();
    const before = operations.dead().expiresAt;
    await operations.harness.clock.advance(60_000);
    const refusing = { sendBatch: () => Promise.resolve({ accepted: [], failed: [] }) };
    await expect(redriveDead({ ...operations.context, queue: refusing as never }, body)).rejects.toThrow('no reply');
    expect(operations.dead().expiresAt).toBe(before + 60);
  });

  it('sends to the single group of a run whose lane rule is single', async () => {
    const operations = new Operations();
    const body = await operations.die({ lanes: 'single' });
    await redriveDead(operations.context, body);
    expect(receive(operations.work, { limit: 1 })[0]!.groupId).toBe('single');
  });

  it('sends a message back that the queue had moved by itself: its record was never dead', async () => {
    const operations = new Operations();
    await operations.harness.seed([1]);
    operations.fails = false;
    expect(await redriveDead(operations.context, encodeEnvelope(envelopeOf()))).toEqual({ kind: 'sent' });
    await operations.drain();
    expect(await operations.harness.run()).toMatchObject({ state: 'completed', totals: { succeeded: 1 } });
  });

  it.each([
    ['what is no message of a fanout', 'hello', /not JSON/],
    ['a message of another fanout', encodeEnvelope({ ...envelopeOf(), fanout: 'other' }), /fanout "other"/],
    ['a message whose run is gone', encodeEnvelope({ ...envelopeOf(), run: 'gone' }), /no run "gone"/],
    ['a death without its time', encodeEnvelope({ ...envelopeOf(), deathId: 'x' }), /without the time/],
  ])('refuses %s, and changes nothing', async (_, body, cause) => {
    const operations = new Operations();
    await operations.die();
    expect(await redriveDead(operations.context, body)).toMatchObject({
      kind: 'refused',
      cause: expect.stringMatching(cause) as string,
    });
    expect(operations.work.counts().visible).toBe(0);
    expect(operations.dead().state).toBe('dead');
  });

  it('refuses a death that the ledger does not have any more', async () => {
    const operations = new Operations();
    const body = await operations.die();
    await operations.harness.store.delete(operations.dead());
    expect(await redriveDead(operations.context, body)).toMatchObject({ kind: 'refused' });
  });
});

describe('a redrive by the console of SQS', () => {
  it('B44: runs the handler once, within five minutes, in a group of the death; the death is marked only when it is received', async () => {
    const operations = new Operations();
    await operations.die();
    operations.engine.moveTasks.start(operations.deadLetters, operations.work.arn, undefined);
    await operations.harness.clock.advance(5_000);
    expect(operations.dead().state).toBe('dead');
    expect(await operations.drain()).toEqual([operations.dead().deathId]);
    expect(operations.calls).toEqual([1]);
    expect(operations.dead().state).toBe('succeeded');
  });
});

describe('a dead record', () => {
  it('has everything that is known of it in its message and in the ledger', async () => {
    const operations = new Operations();
    const body = await operations.die();
    const known = { cause: 'PermanentError', attempts: 1, errorName: 'PermanentError', errorMessage: 'not now' };
    const stack = expect.stringMatching(/PermanentError: not now\n\s+at /) as string;
    const dead = operations.dead();
    expect(JSON.parse(body)).toMatchObject({
      job: JOB,
      run: RUN,
      key: 'record-0-0',
      group: 'acme',
      deathId: dead.deathId,
      death: {
        ...known,
        errorStack: stack,
        firstReceivedAt: '2026-01-01T00:00:00.000Z',
        diedAt: expect.any(String) as string,
      },
    });
    const place = { jobType: JOB, runId: RUN, key: 'record-0-0', group: 'acme', segment: 0, page: 0, ordinal: 0 };
    expect(dead).toMatchObject({ ...place, ...known, errorStack: stack, firstReceivedAt: Date.UTC(2026, 0, 1) });
    expect(Buffer.byteLength(dead.errorStack!)).toBeLessThanOrEqual(2048);
  });
});
