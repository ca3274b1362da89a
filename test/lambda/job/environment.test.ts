import { defineJob } from '../../../lambda/job';
import { JobSetup } from '../../../lambda/job/environment';
import type { AnyJob } from '../../../lambda/job/job';
import { collectJobs } from '../../../lambda/job/registry';
import type { Logger } from '../../../lambda/ports';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
};
const secrets = { read: (name: string) => Promise.resolve(`value of ${name}`) };

function job(jobType: string, setup?: unknown): AnyJob {
  const declared: unknown = defineJob<string>({
    jobType,
    source: async function* () {
      // Yields nothing: setup alone is looked at.
    },
    key: String,
    handler: () => undefined,
    ...(setup === undefined ? {} : { setup: setup as () => object }),
  });
  return declared as AnyJob;
}

function setupOf(...jobs: AnyJob[]): JobSetup {
  return new JobSetup(collectJobs({ default: jobs }), { secrets, logger: silent });
}

describe('JobSetup', () => {
  it('calls setup once, also when it is asked for twice at once', async () => {
    let calls = 0;
    const one = job('one', async ({ secret }: { secret: (name: string) => Promise<string> }) => {
      calls += 1;
      return { db: await secret('DB') };
    });
    const setup = setupOf(one);
    const [first, second] = await Promise.all([setup.dependenciesOf(one), setup.dependenciesOf(one)]);
    expect(first).toEqual({ db: 'value of DB' });
    expect(second).toBe(first);
    expect(calls).toBe(1);
  });

  it('calls a setup that two jobs share once', async () => {
    const shared = jest.fn(() => ({ pool: true }));
    const [one, two] = [job('one', shared), job('two', shared)];
    const setup = setupOf(one, two);
    expect(await setup.dependenciesOf(one)).toBe(await setup.dependenciesOf(two));
    expect(shared).toHaveBeenCalledTimes(1);
  });

  it('calls a setup that failed again', async () => {
    const flaky = jest
      .fn<object, []>()
      .mockImplementationOnce(() => {
        throw new Error('no route to the database');
      })
      .mockReturnValueOnce({ ok: true });
    const one = job('one', flaky);
    const setup = setupOf(one);
    await expect(setup.dependenciesOf(one)).rejects.toThrow('no route');
    expect(await setup.dependenciesOf(one)).toEqual({ ok: true });
  });

  it('gives an empty object where there is no setup, or one that returns nothing', async () => {
    const [none, nothing] = [job('none'), job('nothing', () => undefined)];
    const setup = setupOf(none, nothing);
    expect([await setup.dependenciesOf(none), await setup.dependenciesOf(nothing)]).toEqual([{}, {}]);
  });

  it('refuses a setup that returns no object', async () => {
    const one = job('one', () => 7);
    await expect(setupOf(one).dependenciesOf(one)).rejects.toMatchObject({ code: 'InvalidSetup' });
  });

  it('refuses a job of another registry', async () => {
    await expect(setupOf(job('one')).dependenciesOf(job('one'))).rejects.toThrow('internal error');
  });
});
