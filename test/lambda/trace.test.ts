import { AmbientTracer } from '../../lambda/adapters/ambient-tracer';
import { SqsMessageQueue } from '../../lambda/adapters/sqs-message-queue';
import type { DeadEnvelope, Envelope, TraceContext } from '../../lambda/contract';
import { PermanentError } from '../../lambda/job';
import type { HandlerContext } from '../../lambda/job/job';
import { redriveDead } from '../../lambda/ledger';
import { failures, FANOUT, Harness, job, message, START } from './consumer/harness';
import { recordOf } from '../../lambda/simulation/event-source-mapping';
import { SeededRandomness } from '../../lambda/simulation/seeded-randomness';
import { EngineMessageQueue, receive, SqsEngine } from '../../lambda/simulation/sqs';
import { VirtualClock } from '../../lambda/simulation/virtual-clock';
import { Fixture, gatedStore, someRecords, tick } from './scanner/fixture';

const xrayOf = (digit: string): string =>
  `Root=1-5759e988-${digit.repeat(24)};Parent=${digit.repeat(16)};Sampled=1;Lineage=1:0a1b2c3d:0`;
const traceparentOf = (digit: string): string => `00-5759e988${digit.repeat(24)}-${digit.repeat(16)}-01`;

/** An invocation in a trace. */
const inTrace = (digit: string): { tracer: AmbientTracer } => ({
  tracer: new AmbientTracer({ _X_AMZN_TRACE_ID: xrayOf(digit) }),
});

/** Trace of every message: of its attribute and of its body. */
const tracesOf = (fixture: Fixture): unknown[] =>
  fixture.queue.messages.map(({ body, traceHeader }) => [
    traceHeader,
    (JSON.parse(body) as { traceparent?: unknown }).traceparent,
  ]);

describe('the scanner', () => {
  it('hands the trace of its invocation on: as an attribute, and in the body', async () => {
    const fixture = new Fixture({ records: someRecords(2) });
    await fixture.invoke(undefined, inTrace('a'));
    expect(tracesOf(fixture)).toEqual(Array(2).fill([xrayOf('a'), traceparentOf('a')]));
    expect((await fixture.runItem())?.trace).toEqual({ xray: xrayOf('a'), traceparent: traceparentOf('a') });
  });

  it('hands on nothing where it is in no trace', async () => {
    const fixture = new Fixture({ records: someRecords(1) });
    await fixture.invoke();
    expect(fixture.queue.messages[0]).not.toHaveProperty('traceHeader');
    expect(fixture.queue.messages[0]?.body).not.toContain('trace');
    expect(await fixture.runItem()).not.toHaveProperty('trace');
  });

  it('takes the trace of a caller that names one in its event', async () => {
    const fixture = new Fixture({ records: someRecords(1) });
    await fixture.invoke({ ...tick(), traceparent: traceparentOf('c') }, inTrace('a'));
    expect(tracesOf(fixture)).toEqual([[expect.stringContaining('c'.repeat(24)), traceparentOf('c')]]);
    const other = new Fixture({ records: someRecords(1) });
    await other.invoke({ ...tick(), traceparent: 'unlike one' }, inTrace('a'));
    expect(tracesOf(other)).toEqual([[xrayOf('a'), traceparentOf('a')]]);
  });

  it('B31: whoever goes on with a run sends its messages with the same bytes and the same attributes', async () => {
    const fixture = new Fixture({ records: someRecords(4), configuration: { pageSize: 2 } });
    const store = gatedStore(fixture.memory, (name, call) =>
      name === 'update' && fixture.queue.messages.length > 0 ? Promise.reject(new Error('gone')) : call(),
    );
    await fixture.invoke(undefined, { ...inTrace('a'), store }).catch(() => undefined);
    expect(fixture.queue.messages).toHaveLength(2);
    await fixture.clock.advance(400_000);
    await fixture.invoke(undefined, inTrace('b'));
    const [first, second, third, fourth] = fixture.queue.messages;
    // SQS has forgotten the first two by now.
    expect([third, fourth]).toEqual([first, second]);
    expect(tracesOf(fixture)).toEqual(Array(6).fill([xrayOf('a'), traceparentOf('a')]));
  });
});

describe('the consumer', () => {
  const trace = { xray: xrayOf('a'), traceparent: traceparentOf('a') };
  const withTrace = (envelope: Partial<DeadEnvelope> = {}): ReturnType<typeof message> =>
    message({ envelope: { traceparent: traceparentOf('a'), ...envelope } });

  /** A consumer whose own invocation is in another trace, and what its user code saw. */
  async function watched(parts: Record<string, unknown> = {}, run: { trace?: TraceContext } = {}) {
    const seen: [string, TraceContext, TraceContext][] = [];
    const { tracer } = inTrace('b');
    const look =
      (name: string) =>
      (record: unknown, context: HandlerContext): unknown => {
        seen.push([name, context.trace, tracer.current()]);
        return record;
      };
    const handler = look('handler');
    const harness = await new Harness(
      [job(handler, { load: look('load'), stillEligible: look('stillEligible'), ...parts } as never)],
      { tracer },
    ).seed([10], run);
    return { harness, seen };
  }

  it('gives a record its trace, and works in it', async () => {
    const { harness, seen } = await watched();
    const sent = withTrace();
    await harness.deliver([{ ...sent, attributes: { ...sent.attributes, AWSTraceHeader: xrayOf('a') } }]);
    expect(seen).toEqual(['load', 'stillEligible', 'handler'].map((name) => [name, trace, trace]));
  });

  it.each<[string, { trace?: TraceContext }, Partial<Envelope>, string | undefined, TraceContext]>([
    [
      'of the run, where the message lost its attribute',
      { trace },
      { traceparent: traceparentOf('a') },
      undefined,
      trace,
    ],
    ['of the run, where the message has none', { trace }, {}, undefined, trace],
    ['of the attribute alone', {}, {}, xrayOf('a'), trace],
    ['of the body, without what is no trace', {}, { traceparent: 'unlike one' }, xrayOf('a'), trace],
    ['of nothing: none', {}, {}, undefined, {}],
    ['of nothing that is one: none', {}, { traceparent: 7 as never }, 'unlike one', {}],
  ])('takes the trace %s', async (_, run, envelope, header, expected) => {
    const { harness, seen } = await watched({}, run);
    const sent = message({ envelope });
    const attributes = { ...sent.attributes, ...(header !== undefined && { AWSTraceHeader: header }) };
    expect(failures(await harness.deliver([{ ...sent, attributes }]))).toEqual([]);
    expect(seen.map(([name, given]) => [name, given])).toEqual(
      ['load', 'stillEligible', 'handler'].map((name) => [name, expected]),
    );
  });

  it('keeps the trace over retries, the dead-letter queue and a redrive', async () => {
    let thrown: Error | undefined = new Error('again');
    const traces: TraceContext[] = [];
    const { harness } = await watched(
      {
        load: undefined,
        stillEligible: undefined,
        handler: (_: unknown, context: HandlerContext) => {
          traces.push(context.trace);
          if (thrown !== undefined) {
            throw thrown;
          }
        },
      },
      { trace },
    );
    await harness.deliver([withTrace()]);
    thrown = new PermanentError('never');
    await harness.deliver([
      { ...withTrace(), attributes: { ...withTrace().attributes, ApproximateReceiveCount: '2' } },
    ]);
    const [dead] = harness.deadLetterQueue.sent;
    expect(dead?.traceHeader).toContain('a'.repeat(24));
    expect(harness.deadLetterQueue.dead()[0]?.traceparent).toBe(trace.traceparent);
    thrown = undefined;
    const { store, clock, queue, randomness } = harness;
    const context = { store, clock, queue, randomness, fanoutId: FANOUT, ledgerRetention: 1_641_600 };
    expect(await redriveDead(context, dead?.body ?? '')).toEqual({ kind: 'sent' });
    const [again] = queue.sent;
    expect(again?.traceHeader).toBe(trace.xray);
    await harness.deliver([message({ body: again?.body ?? '' })]);
    expect(traces).toEqual([trace, trace, trace]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded' }]);
    expect(clock.now()).toBeGreaterThanOrEqual(START);
  });
});

describe('the adapters', () => {
  it('of the engine brings the header to the consumer, as Lambda does', async () => {
    const engine = new SqsEngine({ clock: new VirtualClock(START), randomness: new SeededRandomness(3) });
    const queue = engine.createQueue('work.fifo', { FifoQueue: 'true' });
    const entry = { body: 'b', groupId: 'g', deduplicationId: 'd' };
    await new EngineMessageQueue(queue).sendBatch([{ id: '0', ...entry, traceHeader: xrayOf('a') }]);
    const [received] = receive(queue, { limit: 1 });
    expect(received && recordOf(received, queue.arn).attributes.AWSTraceHeader).toBe(xrayOf('a'));
  });

  it('of SQS sends the header as a system attribute, and none where there is none', async () => {
    const inputs: { Entries: readonly Record<string, unknown>[] }[] = [];
    const client = {
      send: ({ input }: { input: (typeof inputs)[number] }) => {
        inputs.push(input);
        return Promise.resolve({ Successful: [{ Id: '0' }, { Id: '1' }] });
      },
    };
    const entry = { body: 'b', groupId: 'g', deduplicationId: 'd' };
    await new SqsMessageQueue(client as never, 'url').sendBatch([
      { id: '0', ...entry, traceHeader: xrayOf('a') },
      { id: '1', ...entry },
    ]);
    expect(inputs[0]?.Entries.map(({ MessageSystemAttributes }) => MessageSystemAttributes)).toEqual([
      { AWSTraceHeader: { DataType: 'String', StringValue: xrayOf('a') } },
      undefined,
    ]);
  });
});
