import { EventSourceMapping } from '../../../../lambda/simulation/event-source-mapping';
import { fixture, sendAll } from '../sqs/fixtures';
import { failing, harness, held, throttled } from './harness';

describe('an event source mapping', () => {
  it('picks up what is sent while it waits, a batch in one invocation', async () => {
    const { mapping, queue, batches } = harness(failing());
    mapping.start();
    expect(mapping.idle).toBe(true);
    sendAll(queue, ['a', 'b'], 'x');
    sendAll(queue, ['c'], 'y');
    expect(mapping.idle).toBe(false);
    await mapping.whenIdle();
    expect(batches).toEqual([['a', 'b', 'c']]);
  });

  it('B67: stops when the invocation that runs has ended and its message is deleted, receives nothing more, and stops twice', async () => {
    const { invoke, running } = held();
    const { mapping, queue, clock } = harness(invoke, { batchSize: 1 });
    sendAll(queue, ['a', 'b']);
    mapping.start();
    await clock.advance(0);
    let stopped = false;
    const stopping = mapping.stop().then(() => (stopped = true));
    await clock.advance(300);
    expect(stopped).toBe(false);
    running[0]!.end();
    await stopping;
    expect(queue.list().map(({ body, state }) => [body, state])).toEqual([['b', 'visible']]);
    await mapping.stop();
    sendAll(queue, ['c'], 'other');
    await clock.advance(60_000);
    expect(running).toHaveLength(1);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('B67: does not wait for the end of a throttling when it stops', async () => {
    const { mapping, queue, clock } = harness(() => Promise.reject(throttled()));
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(50);
    await mapping.stop();
    expect(mapping.invocations).toBe(0);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('starts again after a stop', async () => {
    const { mapping, queue, batches } = harness(failing());
    mapping.start();
    mapping.start();
    await mapping.stop();
    sendAll(queue, ['a']);
    expect(mapping.idle).toBe(true);
    mapping.start();
    await mapping.whenIdle();
    expect(batches).toEqual([['a']]);
  });

  it('reads a standard queue, too', async () => {
    const { engine, clock } = fixture({ inFlightLimit: 2 });
    const queue = engine.createQueue('failures');
    const seen: string[] = [];
    const mapping = new EventSourceMapping({
      queue,
      clock,
      batchSize: 1,
      invoke: ({ Records }) => Promise.resolve(seen.push(...Records.map(({ body }) => body))),
    });
    sendAll(queue, ['a', 'b', 'c']);
    mapping.start();
    await mapping.whenIdle();
    expect(seen.sort()).toEqual(['a', 'b', 'c']);
    await mapping.stop();
  });
});
