import type { CronFanoutError } from '../../../lambda/contract';
import { defineJob } from '../../../lambda/job';
import type { SimulationError } from '../../../lambda/simulation';
import { simulateFanout } from '../../../lambda/simulation';
import { INVARIANTS } from '../../../lambda/simulation/invariants';
import type { InvariantRule } from '../../../lambda/simulation/invariants/invariant';

const job = defineJob<{ id: string }>({
  jobType: 'j',
  async *source() {
    yield { record: { id: 'r0' }, cursor: 1 };
  },
  key: ({ id }) => id,
  handler: () => undefined,
});

/** What a simulation that must not succeed is refused with. */
async function refusal<E extends Error = CronFanoutError>(given: unknown, options?: object): Promise<E> {
  return (simulateFanout as (given: unknown, options?: object) => Promise<unknown>)(given, options).then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error as E,
  );
}

describe('simulateFanout refuses', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['a function', () => undefined, 'NotAJob', /^job: received a function; allowed: what defineJob returned/],
    ['nothing', undefined, 'NotAJob', /received undefined/],
    ['a plain object', { jobType: 'j', handler: () => undefined }, 'NotAJob', /pass the job/],
    ['a promise', Promise.resolve(job), 'NotAJob', /received a Promise/],
    ['an empty array', [], 'NotAJob', /received an empty array/],
    ['an array with something else', [job, 'text'], 'NotAJob', /^jobs\[1\]: received "text"/],
    ['two jobs of one type', [job, { ...job }], 'DuplicateJobType', /rename one/],
    [
      'a job without a handler',
      { ...job, handler: undefined },
      'InvalidJob',
      /^handler of job "j": received undefined/,
    ],
    ['a job with a bad name', { ...job, jobType: '#' }, 'InvalidJobType', /choose such a name/],
  ])('%s', async (_, given, code, message) => {
    const error = await refusal(given);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it.each<[object, string, RegExp]>([
    [{ fault: 'all' }, 'UnknownOption', /^options\.fault: .*allowed: records, setup/],
    [{ faults: 'crsh' }, 'UnknownFault', /^faults: received "crsh"; allowed: crash, pause, .*'all' or 'none'/],
    [{ faults: ['crash', 1] }, 'UnknownFault', /received 1/],
    [{ seed: -1 }, 'OutOfRange', /^seed: received -1; allowed: 0 to 2147483647/],
    [{ seed: 1.5 }, 'OutOfRange', /whole/],
    [{ ticks: 0 }, 'OutOfRange', /^ticks/],
    [{ interval: 59 }, 'OutOfRange', /^interval: received 59; allowed: 60 to 86400 seconds/],
    [{ pageSize: 1001 }, 'OutOfRange', /^pageSize/],
    [{ patience: '1' }, 'OutOfRange', /^patience: received "1"/],
    [{ start: 'soon' }, 'InvalidOption', /^start: received "soon"/],
    [{ start: new Date(NaN) }, 'InvalidOption', /an invalid Date/],
    [{ timers: 'fake' }, 'UnknownName', /^timers: .*virtual, real/],
    [{ setup: 1 }, 'InvalidOption', /^setup: received 1/],
    [{ secrets: { DB: 1 } }, 'InvalidOption', /^secrets\["DB"\]: received a number/],
    [{ secrets: 'DB' }, 'InvalidOption', /^secrets/],
    [{ records: 'r0' }, 'InvalidOption', /^records: received "r0"/],
    [{ records: { other: [] } }, 'UnknownJobType', /^records\["other"\]: .*allowed: j/],
    [{ records: { j: 1 } }, 'InvalidOption', /^records\["j"\]/],
    [{ config: 5 }, 'InvalidOption', /^config: received 5; allowed: an object with any of retry/],
    [{ config: { concurrency: 5 } }, 'UnknownOption', /^config\.concurrency/],
    [{ config: { maxConcurrency: 0 } }, 'OutOfRange', /^config\.maxConcurrency: received 0; allowed: 1 to 10000/],
    [{ config: { timeout: 901 } }, 'OutOfRange', /^config\.timeout/],
    [{ config: { handlerTimeout: 60 } }, 'ConflictingOptions', /^config\.handlerTimeout and config\.timeout/],
    [{ config: { deduplication: 'never' } }, 'UnknownName', /^config\.deduplication/],
    [{ config: { serialFailure: 'block' } }, 'ConflictingOptions', /maxConcurrency 20/],
    [{ config: { retry: { maxAttempts: 0 } } }, 'OutOfRange', /^config\.retry\.maxAttempts/],
    [{ config: { retry: { kind: 'random' } } }, 'UnknownName', /^config\.retry\.kind/],
    [{ config: { retry: { kind: 'fixed', factor: 2 } } }, 'UnknownOption', /^config\.retry\.factor/],
    [{ config: { retry: { kind: 'delays', delays: [] } } }, 'NoDelays', /^config\.retry\.delays/],
    [{ config: { retry: { kind: 'delays', delays: [-1] } } }, 'OutOfRange', /^config\.retry\.delays\[0\]/],
    [{ config: { retry: { initialDelay: 10, maxDelay: 5 } } }, 'ConflictingOptions', /maxDelay/],
    [{ config: { jobs: { other: {} } } }, 'UnknownJobType', /^config\.jobs\["other"\]/],
    [{ config: { jobs: { j: { segments: 17 } } } }, 'OutOfRange', /^config\.jobs\["j"\]\.segments/],
  ])('the options %j', async (options, code, message) => {
    const error = await refusal(job, options);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/: received .*; allowed: .*; .* \[\w+\]$/);
  });
});

describe('simulateFanout says what is wrong with the job', () => {
  const source = (items: () => unknown) => ({ ...job, source: items });

  it.each<[string, unknown, string, RegExp]>([
    [
      'a setup that throws',
      {
        ...job,
        setup: () => {
          throw new Error('ECONNREFUSED');
        },
      },
      'SetupFailed',
      /^setup of job "j": received Error: ECONNREFUSED; .* fakes by its setup option/,
    ],
    ['a setup that rejects', { ...job, setup: () => Promise.reject(new Error('no')) }, 'SetupFailed', /Error: no/],
    ['a setup that never ends', { ...job, setup: () => new Promise(() => undefined) }, 'SetupHangs', /20 milliseconds/],
    ['a setup that returns a text', { ...job, setup: () => 'db' }, 'InvalidSetup', /received "db"/],
    ['a source that is no generator', source(() => [1, 2]), 'InvalidSource', /source of job "j"/],
    [
      'a source that yields nothing useful',
      source(async function* () {
        yield null;
      }),
      'InvalidSourceItem',
      /received null; allowed: { record, cursor }/,
    ],
    [
      'a source whose chunk is no array',
      source(async function* () {
        yield { records: 5, cursor: 1 };
      }),
      'InvalidSourceItem',
      /received a number/,
    ],
    [
      'a source without cursors',
      source(async function* () {
        yield { record: { id: 'a' } };
      }),
      'InvalidCursor',
      /yield a cursor with every item/,
    ],
    [
      'a source whose cursor stands still',
      source(async function* () {
        for (const id of ['a', 'b']) {
          yield { record: { id }, cursor: 1 };
        }
      }),
      'RepeatedCursor',
      /received the cursor of the item before/,
    ],
    [
      'a source that never ends',
      source(async function* () {
        for (let n = 1; ; n++) {
          yield { records: Array(1000).fill({ id: 'a' }), cursor: n };
        }
      }),
      'TooManyRecords',
      /more than 100000 items and records/,
    ],
    [
      'a timer whose callback throws',
      {
        ...job,
        handler: () =>
          new Promise(() =>
            setTimeout(() => {
              throw new Error('oops');
            }, 10),
          ),
      },
      'UncaughtError',
      /received Error: oops/,
    ],
  ])('%s', async (_, given, code, message) => {
    const error = await refusal(given, { patience: 20 });
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('but not of a setup that succeeds when it is tried again', async () => {
    let tries = 0;
    const flaky = {
      ...job,
      setup: () => {
        tries += 1;
        if (tries <= 2) {
          throw new Error('not yet');
        }
        return {};
      },
    };
    expect((await simulateFanout(flaky)).outcomes).toEqual({ r0: 'succeeded' });
  });

  it('and reports a run whose source fails as failed', async () => {
    const failing = {
      ...job,
      async *source() {
        yield { record: { id: 'r0' }, cursor: 1 };
        throw new Error('connection lost');
      },
    };
    const { runs, outcomes } = await simulateFanout(failing);
    expect(runs).toMatchObject([{ state: 'failed', cause: expect.stringContaining('connection lost') as string }]);
    expect(outcomes).toEqual({});
  });

  it('and a source that hangs as a run that gets no further', async () => {
    const hanging = {
      ...job,
      async *source() {
        await new Promise(() => undefined);
      },
    };
    const { runs } = await simulateFanout(hanging as never, { patience: 5 });
    expect(runs).toMatchObject([{ state: 'failed' }]);
  });
});

describe('a broken promise', () => {
  /** Says that something does not hold as soon as the second handler starts. */
  const broken: InvariantRule = {
    name: 'at most one call',
    watch: ({ violated }) => {
      let calls = 0;
      return {
        observe: ({ type }) => {
          calls += type === 'handlerStarted' ? 1 : 0;
          if (calls > 1) {
            violated('two calls');
          }
        },
      };
    },
  };

  it('is an error with seed, trace and the call that shows it again', async () => {
    (INVARIANTS as InvariantRule[]).push(broken);
    try {
      const options = { records: [{ id: 'r0' }, { id: 'r1' }], seed: 11, faults: 'crash' } as const;
      const error = await refusal<SimulationError>(job, options);
      expect(error).toMatchObject({ name: 'SimulationError', code: 'InvariantBroken', seed: 11 });
      expect(error.invariant).toBe('at most one call');
      expect(error.replay).toBe('simulateFanout(job, { records: ..., seed: 11, faults: "crash" })');
      expect(error.message).toMatch(/^"at most one call", seed 11: received two calls; allowed: /);
      expect(error.message).toContain(`replay: ${error.replay}`);
      expect(error.trace).toContain('handler r1, attempt 1');
      expect((await refusal<SimulationError>(job, options)).trace).toBe(error.trace);
    } finally {
      (INVARIANTS as InvariantRule[]).pop();
    }
    await simulateFanout(job, { records: [{ id: 'r0' }, { id: 'r1' }] });
  });
});
