import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionError, FunctionSignal } from '../../../bin/dev/function-host/messages';
import type { InvocationResult, PoolOptions } from '../../../bin/dev/function-pool';
import { FunctionPool } from '../../../bin/dev/function-pool';

import { buildHostScript } from '../../../bin/dev/host-script';
import { LocalClock } from '../../../bin/dev/local-clock';
import { CHANNELS } from '../../../lambda/contract';

const HOUR = 3_600_000;
const HANDLERS = `
import { channel } from 'node:diagnostics_channel';
let calls = 0;
export const echo = async (event, context) => ({ event, calls: ++calls, pid: process.pid, context: { ...context } });
export const fail = async () => { throw Object.assign(new TypeError('no such booking'), {}); };
export const forever = () => new Promise(() => setInterval(() => {}, 1000));
export const exit = () => process.exit(7);
export const time = async (_event, context) => [Date.now(), new Date().getTime(), context.getRemainingTimeInMillis(), new Date(0).toISOString(), typeof Date(), new Date() instanceof Date, Date.UTC(2020, 0)];
export const variables = async () => process.env;
export const signal = async (event) => { channel('${CHANNELS.handler}').publish({ phase: 'start', key: event.key }); console.log('one line'); };
export const signals = async () => { for (let n = 0; n < 5; n++) { channel('${CHANNELS.handler}').publish({ n }); await undefined; } process.exitCode = 0; process.exit(0); };
export const wait = (event) => new Promise((resolve) => setTimeout(() => resolve(process.pid), event.milliseconds));
`;

describe('FunctionPool', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'function-pool-'));
  const host = (name: string): string =>
    buildHostScript(join(__dirname, '../../../bin/dev/function-host', name), scratch);
  const scripts = { preload: host('preload'), bootstrap: host('bootstrap') };
  writeFileSync(join(scratch, 'index.mjs'), HANDLERS);
  writeFileSync(join(scratch, 'broken.mjs'), `throw new RangeError('no database');`);

  const clock = new LocalClock();
  const pools: FunctionPool[] = [];
  const signals: [FunctionSignal, number][] = [];
  let onLine: (line: string) => void = () => undefined;
  const gone: number[] = [];
  const initFailures: FunctionError[] = [];
  const create = (handler: string, changes: Partial<FunctionPool['description']> = {}): FunctionPool => {
    const options: PoolOptions = {
      clock,
      scripts,
      environment: { AWS_REGION: 'eu-west-1' },
      onSignal: (signal, processId) => signals.push([signal, processId]),
      onExit: (processId) => gone.push(processId),
      onLine: (_name, line) => {
        onLine(line);
      },
      onInitFailure: (_name, error) => initFailures.push(error),
    };
    const description = {
      name: 'demo',
      arn: 'arn:aws:lambda:eu-west-1:000000000000:function:demo',
      directory: scratch,
      handler,
      environment: { TABLE: 'state', AWS_REGION: 'elsewhere' },
      timeoutSeconds: 30,
      memoryMebibytes: 256,
      ...changes,
    };
    const pool = new FunctionPool(description, options);
    pools.push(pool);
    return pool;
  };
  const payload = (result: InvocationResult): Record<string, unknown> =>
    (result as { payload: Record<string, unknown> }).payload;

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.stop(0)));
    clock.stop();
    rmSync(scratch, { recursive: true });
  });

  it('calls the handler of an asset with its event and a context, and uses a warm process again', async () => {
    const pool = create('index.echo');
    const first = payload(await pool.invoke({ a: 1 }));
    const second = payload(await pool.invoke(null));
    expect(first).toMatchObject({ event: { a: 1 }, calls: 1 });
    expect(first.context).toMatchObject({
      functionName: 'demo',
      memoryLimitInMB: '256',
      functionVersion: '$LATEST',
    });
    expect(second).toMatchObject({ event: null, calls: 2, pid: first.pid });
    expect(pool.processesStarted).toBe(1);
  });

  it('gives each of two invocations at once a process of its own', async () => {
    const pool = create('index.wait');
    const pids = await Promise.all([pool.invoke({ milliseconds: 20 }), pool.invoke({ milliseconds: 20 })]);
    expect(new Set(pids.map(payload)).size).toBe(2);
  });

  it('reports what a handler throws as AWS Lambda does', async () => {
    const result = await create('index.fail').invoke({});
    expect(result).toMatchObject({
      status: 'failed',
      error: { errorType: 'TypeError', errorMessage: 'no such booking' },
    });
  });

  it('ends a handler that runs out of time together with its process, and goes on with a new one', async () => {
    const pool = create('index.forever', { timeoutSeconds: 0.05 });
    const result = await pool.invoke({});
    expect(result).toMatchObject({
      status: 'failed',
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringContaining('Task timed out after 0.05 seconds') as string,
      },
    });
    await pool.invoke({});
    expect(pool.processesStarted).toBe(2);
    expect(gone.length).toBeGreaterThanOrEqual(2);
  });

  it('reports a process that exits', async () => {
    expect(await create('index.exit').invoke({})).toMatchObject({
      status: 'failed',
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('exit status 7') as string },
    });
  });

  it.each([
    ['broken.handler', { errorType: 'RangeError', errorMessage: 'no database' }],
    ['missing.handler', { errorType: 'Runtime.ImportModuleError' }],
    [
      'index.nothing',
      { errorType: 'Runtime.HandlerNotFound', errorMessage: 'index.nothing is undefined or not exported' },
    ],
  ])('reports that %s can not be loaded', async (handler, error) => {
    const pool = create(handler);
    expect(await pool.invoke({})).toMatchObject({ status: 'failed', error });
    expect(initFailures.at(-1)).toMatchObject(error);
  });

  it('shifts the dates of a handler by the offset of local time, and nothing else', async () => {
    const pool = create('index.time');
    const before = clock.offset;
    let over = false;
    clock.setTimer(5 * HOUR, () => (over = true));
    await clock.runAhead(async () => over, Date.now() + 24 * HOUR);
    const [now, constructed, remaining, epoch, text, isDate, utc] = payload(
      await pool.invoke({}),
    ) as unknown as unknown[];
    expect(clock.offset - before).toBeGreaterThan(4.9 * HOUR);
    expect(Math.abs((now as number) - clock.now())).toBeLessThan(5000);
    expect(Math.abs((constructed as number) - (now as number))).toBeLessThan(1000);
    expect(remaining).toBeGreaterThan(25_000);
    expect(remaining).toBeLessThanOrEqual(30_000);
    expect([epoch, text, isDate, utc]).toEqual(['1970-01-01T00:00:00.000Z', 'string', true, 1_577_836_800_000]);
  });

  it('hands over the variables of the template and of AWS, and none of its own', async () => {
    process.env.AWS_PROFILE = 'mine';
    const variables = payload(await create('index.variables').invoke({}));
    delete process.env.AWS_PROFILE;
    expect(variables).toMatchObject({ TABLE: 'state', AWS_REGION: 'eu-west-1', _HANDLER: 'index.variables' });
    expect(variables).not.toHaveProperty('AWS_PROFILE');
    expect(variables).not.toHaveProperty('HOME');
  });

  it('passes on what was published in the turn in which a process ends, in its order', async () => {
    const before = signals.length;
    expect(await create('index.signals').invoke({})).toMatchObject({ status: 'failed' });
    expect(signals.slice(before).map(([{ message }]) => message)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })));
  });

  it('passes on signals before the result, with the process and the time of the machine, and what is logged', async () => {
    // Output comes by another way than answers, sooner or later than they.
    const line = new Promise<string>((resolve) => (onLine = resolve));
    const from = Number(process.hrtime.bigint());
    await create('index.signal').invoke({ key: 'b-1' });
    const to = Number(process.hrtime.bigint());
    const [signal, processId] = signals.at(-1)!;
    expect(signal).toMatchObject({ channel: CHANNELS.handler, message: { phase: 'start', key: 'b-1' } });
    expect(processId).toBeGreaterThan(0);
    expect(signal.at).toBeGreaterThan(from);
    expect(signal.at).toBeLessThan(to);
    expect(await line).toBe('one line');
  });

  it('throttles beyond the reserved concurrency', async () => {
    const pool = create('index.wait', { reservedConcurrency: 1 });
    const first = pool.invoke({ milliseconds: 20 });
    expect(await pool.invoke({})).toEqual({ status: 'throttled' });
    expect((await first).status).toBe('succeeded');
  });

  it('B67: a stop waits for the invocation in flight, takes no other, and leaves no process; a second one does nothing', async () => {
    const pool = create('index.wait');
    const flying = pool.invoke({ milliseconds: 300 });
    const stopped = pool.stop(5_000);
    expect(await pool.invoke({})).toEqual({ status: 'throttled' });
    await stopped;
    const result = await flying;
    expect(result.status).toBe('succeeded');
    await pool.stop(5_000);
    expect(() => process.kill(payload(result) as unknown as number, 0)).toThrow(/ESRCH/);
  });
});
