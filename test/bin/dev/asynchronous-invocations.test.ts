import type { InvocationRecord } from '../../../bin/dev/asynchronous-invocations';
import { AsynchronousInvocations } from '../../../bin/dev/asynchronous-invocations';
import type { FunctionPool, InvocationResult } from '../../../bin/dev/function-pool';
import { LocalClock } from '../../../bin/dev/local-clock';

const SUCCESS: InvocationResult = { status: 'succeeded', requestId: 'r', payload: 'done' };
const FAILURE: InvocationResult = {
  status: 'failed',
  requestId: 'r',
  error: { errorType: 'Error', errorMessage: 'no database' },
};
const THROTTLE: InvocationResult = { status: 'throttled' };
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:failures';

describe('AsynchronousInvocations', () => {
  let clock: LocalClock;
  beforeEach(() => (clock = new LocalClock()));
  afterEach(() => {
    clock.stop();
  });

  /** Invokes a function that answers one result after another, the last one again and again. */
  async function invoke(results: InvocationResult[], settings: { retries?: number; maximumAgeSeconds?: number } = {}) {
    const start = clock.now();
    const calls: number[] = [];
    const records: [string, InvocationRecord][] = [];
    const pool = {
      description: { arn: 'arn:aws:lambda:us-east-1:000000000000:function:scan' } as FunctionPool['description'],
      invoke: () => {
        calls.push(Math.round((clock.now() - start) / 1000));
        return Promise.resolve(results[Math.min(calls.length, results.length) - 1]!);
      },
    };
    const configuration = { retries: 2, maximumAgeSeconds: 21_600, failureDestination: QUEUE, ...settings };
    const asynchronous = new AsynchronousInvocations(pool, configuration, clock, async (arn, record) => {
      records.push([arn, record]);
    });
    let outcome: Awaited<ReturnType<typeof asynchronous.invoke>> | undefined;
    void asynchronous.invoke({ kind: 'tick' }).then((result) => (outcome = result));
    await clock.runAhead(async () => outcome !== undefined, start + 24 * 3_600_000);
    return { outcome, calls, records };
  }

  it('answers the first success', async () => {
    const { outcome, calls, records } = await invoke([SUCCESS]);
    expect(outcome).toEqual({ status: 'succeeded', attempts: 1, payload: 'done' });
    expect({ calls, records }).toEqual({ calls: [0], records: [] });
  });

  it('tries a failure again after one and then two minutes', async () => {
    const { outcome, calls } = await invoke([FAILURE, FAILURE, SUCCESS]);
    expect(outcome).toMatchObject({ status: 'succeeded', attempts: 3 });
    expect(calls).toEqual([0, 60, 180]);
  });

  it('hands an event whose retries are used up to the failure destination', async () => {
    const { outcome, calls, records } = await invoke([FAILURE]);
    expect(outcome).toMatchObject({ status: 'discarded', attempts: 3, result: FAILURE });
    expect(calls).toHaveLength(3);
    expect(records).toMatchObject([
      [
        QUEUE,
        {
          version: '1.0',
          requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
          requestPayload: { kind: 'tick' },
          responseContext: { functionError: 'Unhandled' },
          responsePayload: { errorMessage: 'no database' },
        },
      ],
    ]);
  });

  it('does not retry where the template says so', async () => {
    expect((await invoke([FAILURE], { retries: 0 })).calls).toEqual([0]);
  });

  it('waits out throttles, which use no attempt', async () => {
    const { outcome, calls } = await invoke([THROTTLE, THROTTLE, THROTTLE, SUCCESS]);
    expect(outcome).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(calls).toEqual([0, 1, 3, 7]);
  });

  it('discards an event that grows too old', async () => {
    const { outcome, records } = await invoke([THROTTLE], { maximumAgeSeconds: 60 });
    expect(outcome).toMatchObject({ status: 'discarded', attempts: 1 });
    expect(records[0]?.[1].requestContext.condition).toBe('EventAgeExceeded');
  });
});
