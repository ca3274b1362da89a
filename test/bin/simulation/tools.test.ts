import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
/** Milliseconds: two tools, each of which bundles what it runs. */
const PATIENCE_MS = 90_000;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a script of package.json; `onStderr` sees what it says meanwhile. */
function run(
  script: 'simulate' | 'simulate-mutants',
  args: readonly string[],
  onStderr: (text: string, kill: () => void) => void = () => undefined,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', `bin/${script}.ts`, ...args], { cwd: ROOT });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += String(data)));
    child.stderr.on('data', (data) => {
      err += String(data);
      onStderr(err, () => child.kill('SIGINT'));
    });
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
  });
}

test(
  'the replay that is printed for a mutant reproduces its failure, and shows nothing without the mutant',
  async () => {
    const hunt = await run('simulate-mutants', ['--only', 'send-before-the-page-is-written', '--workers', '1']);
    expect(hunt.code).toBe(0);
    expect(hunt.out).toMatch(/1 caught, 0 survived\n$/);
    const [, invariant] = /^send-before-the-page-is-written +\d+ {2}(.+?) {2,}/m.exec(hunt.out) ?? [];
    const [, line = ''] = /^to see send-before.* caught: npm run simulate -- (.*)$/m.exec(hunt.out) ?? [];
    const args = line.split(' ');

    const replayed = await run('simulate', args);
    expect(replayed.code).toBe(1);
    expect(replayed.out).toBe('0 passed, 1 failed\n');
    expect(replayed.err).toContain(`breaks "${invariant ?? '?'}"`);
    expect(replayed.err).toContain(`replay: npm run simulate -- ${line}`);

    const sound = await run('simulate', args.slice(0, args.indexOf('--mutant')));
    expect([sound.code, sound.out]).toEqual([0, '1 passed, 0 failed\n']);
  },
  PATIENCE_MS,
);

test(
  'a signal in the middle ends it at once, with what was done until then',
  async () => {
    const { code, out, err } = await run('simulate', ['--seeds', '1000000', '--seed', '7'], (said, kill) => {
      if (said.includes('seeds, ')) {
        kill();
      }
    });
    expect(code).toBe(130);
    expect(out).toMatch(/^\d+ passed, 0 failed\n$/);
    expect(err).toMatch(/^from seed 7\n/);
  },
  PATIENCE_MS,
);

test(
  'what is wrong with an option is said in one line, with what is allowed and what to do',
  async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--seds', '3'], /unknown option '--seds' \(Did you mean --seeds\?\); allowed: --seeds <n>, .*--help/],
      [['--seeds', 'many'], /--seeds: received "many"; allowed: a whole number from 1 to \d+; for example/],
      [['--seed', '-1'], /--seed: received "-1"; allowed: a whole number from 0/],
      [['--minutes', '0'], /--minutes: received "0"; allowed: a whole number from 1 to 1440/],
      [['--workers', '0'], /--workers: received "0"; allowed: a whole number from 1 to 64/],
      [['--only', 'chaoss'], /received "chaoss"; allowed: plain, .*chaos; choose one of these/],
      [['--mutant', 'none'], /received "none"; allowed: lease-not-compared, .*; choose one of these/],
      [['7'], /too many arguments.*; allowed: --seeds/],
    ];
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, out, err } = await run('simulate', args);
        expect([code, out]).toEqual([1, '']);
        expect(err).toMatch(message);
        expect(err.trim().split('\n')).toHaveLength(1);
      }),
    );
  },
  PATIENCE_MS,
);
