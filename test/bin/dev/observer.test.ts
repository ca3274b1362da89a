import { Observer } from '../../../bin/dev/observer';
import type { Envelope, HandlerSignal } from '../../../lambda/contract';
import { CHANNELS } from '../../../lambda/contract';
import type { SqsEvent } from '../../../lambda/simulation/sqs';

const envelope = (ordinal: number): Envelope => ({
  v: 1,
  fanout: 'f',
  job: 'j',
  run: 'r',
  segment: 0,
  page: 0,
  ordinal,
  key: `k${ordinal}`,
  group: 'g',
  payload: {},
});
const event = (type: string, queue: string, body: string, target?: string): SqsEvent =>
  ({ type, queue, target, message: { body } }) as unknown as SqsEvent;

describe('Observer', () => {
  let observer: Observer;
  beforeEach(() => (observer = new Observer({ work: 'work', deadLetter: 'dead' })));
  const call = (phase: HandlerSignal['phase'], ordinal: number, processId = 1): void => {
    const { key, group, segment, page } = envelope(ordinal);
    const message: HandlerSignal = { phase, jobType: 'j', runId: 'r', key, group, segment, page, ordinal, attempt: 1 };
    observer.signal({ channel: CHANNELS.handler, message, at: Number(process.hrtime.bigint()) }, processId);
  };
  const queue = (type: string, name: string, ordinal: number, target?: string): void => {
    observer.queueEvent(event(type, name, JSON.stringify(envelope(ordinal)), target));
  };

  it('counts records, not messages or calls', () => {
    observer.signal(
      {
        channel: CHANNELS.scan,
        message: { runId: 'r', jobType: 'j', page: 0, eligible: 3, enqueued: 2, rejected: 1, skipped: 0, duplicate: 0 },
        at: 0,
      },
      1,
    );
    queue('sent', 'work', 0);
    queue('sent', 'work', 0);
    queue('sent', 'work', 1);
    call('start', 0);
    call('failed', 0);
    call('start', 0);
    call('succeeded', 0);
    queue('sent', 'dead', 1);
    queue('deleted', 'work', 0);
    queue('deleted', 'work', 1);
    expect(observer.newestCounts()).toEqual({ scanned: 3, enqueued: 2, succeeded: 1, retried: 1, dead: 1 });
    expect(observer.observed('r')).toMatchObject({
      eligible: 3,
      rejected: 1,
      setAside: 0,
      handlerCalls: 2,
      outOfOrder: 0,
    });
    expect(observer.deadRecords('r').map(({ key }) => key)).toEqual(['k1']);
  });

  it('sees records that leave the queue without a call, and those that SQS itself moves', () => {
    queue('sent', 'work', 0);
    queue('deleted', 'work', 0);
    queue('deadLettered', 'work', 1, 'dead');
    expect(observer.observed('r')).toMatchObject({ setAside: 1, dead: 1 });
  });

  it('takes the calls of a process that is gone as ended', () => {
    call('start', 0, 7);
    observer.processEnded(7);
    call('start', 0, 8);
    call('succeeded', 0, 8);
    expect(observer.observed('r')).toMatchObject({ maxConcurrentHandlers: 1, handledTwice: 0, retried: 1 });
  });

  it('leaves alone other queues and bodies that are no envelopes', () => {
    queue('sent', 'elsewhere', 0);
    observer.queueEvent(event('sent', 'work', 'no JSON'));
    observer.queueEvent(event('sent', 'work', 'null'));
    observer.queueEvent(event('sent', 'work', '{"run":5}'));
    expect(observer.runIds).toEqual([]);
    expect(observer.newestCounts()).toEqual({ scanned: 0, enqueued: 0, succeeded: 0, retried: 0, dead: 0 });
  });
});
