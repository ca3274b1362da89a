import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { createProgram } from '../../../bin/demo';
import { caseOf } from '../../../bin/demo/case';
import { CONTENDERS } from '../../../bin/demo/contenders';
import type { CaseResult } from '../../../bin/demo/contender';
import { incidentsOf, runCase } from '../../../bin/demo/run-cases';
import { caseText } from '../../../bin/demo/single-case';
import type { Summary } from '../../../bin/demo/summary';
import { SummaryWriter, summaryText } from '../../../bin/demo/summary';

const ROOT = join(__dirname, '..', '..', '..');
const README = join(ROOT, 'README.md');
const NONE = { lost: 0, doubled: 0, 'out of order': 0, stuck: 0 };
const [BY_HAND, LOOKING_TWICE, CONSTRUCT] = CONTENDERS;
/** Seeds of the demo, and how many of them the construct is put through here. */
const SEEDS = { byHand: 200, construct: 20 };

/** What the demo prints, with the construct put through the first seeds alone. */
async function shortDemo(): Promise<{ readonly all: Summary; readonly few: Summary }> {
  const [all, few] = [new SummaryWriter(CONTENDERS), new SummaryWriter(CONTENDERS)];
  for (let seed = 1; seed <= SEEDS.byHand; seed++) {
    const isFew = seed <= SEEDS.construct;
    const { demo, results } = await runCase(seed, isFew ? CONTENDERS : [BY_HAND, LOOKING_TWICE]);
    all.add(demo, incidentsOf(results));
    if (isFew) {
      few.add(demo, incidentsOf(results));
    }
  }
  return { all: all.summary(), few: few.summary() };
}

describe('the demo', () => {
  let all: Summary;
  let few: Summary;

  beforeAll(async () => {
    ({ all, few } = await shortDemo());
  });

  it('shows that by hand bookings are lost and doubled, and with the construct none is anything', () => {
    const counts = Object.fromEntries(few.contenders.map((one) => [one.name, one.counts]));
    expect(few.seeds).toBe(SEEDS.construct);
    expect(counts[BY_HAND.name]!.lost).toBeGreaterThan(0);
    expect(counts[BY_HAND.name]!.doubled).toBeGreaterThan(0);
    expect(counts[CONSTRUCT.name]).toEqual(NONE);
  });

  it('shows every symptom by hand over all seeds, and fewer doubled ones where it looks twice', () => {
    const [byHand, lookingTwice] = all.contenders.map(({ counts }) => counts);
    for (const count of Object.values(byHand!)) {
      expect(count).toBeGreaterThan(10);
    }
    expect(lookingTwice!.doubled).toBeLessThan(byHand!.doubled / 2);
    expect(lookingTwice!.lost).toBeGreaterThan(0);
  });

  it('names a seed for each kind of fault, which shows what it says', async () => {
    expect(all.examples).toHaveLength(10);
    for (const { kind, seed, symptom, bookings, why } of all.examples) {
      expect(why).toMatch(/^[a-z].{20,}/);
      const demo = caseOf(seed!);
      const { incidents } = await BY_HAND.run(demo);
      expect(demo.kind.name).toBe(kind);
      expect(incidents.filter((one) => one.symptom === symptom)).toHaveLength(bookings!);
    }
  });

  it('is what the README shows', () => {
    const text = readFileSync(README, 'utf8');
    const [, before = '', shown = '', after = ''] =
      /^(.*\nnpm run demo\n```\n\n```text\n)(.*?)(\n```\n.*)$/s.exec(text) ?? [];
    const wanted = summaryText(all);
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(README, before + wanted + after);
    } else {
      expect(shown).toBe(wanted);
    }
  });

  it.each(CONTENDERS.map((contender) => [contender.name, contender] as const))(
    'is the same for the same seed: %s',
    async (_, contender) => {
      const run = (): Promise<CaseResult> => contender.run(caseOf(12));
      expect(await run()).toEqual(await run());
    },
  );

  it('shows a single seed at length', async () => {
    const { demo, results } = await runCase(12, CONTENDERS);
    const text = caseText(demo, results);
    expect(text).toMatch(/^seed 12, lost reply: calls take effect though they fail/);
    expect(text).toMatch(/\nby hand:\n {2}doubled: B\d+ is mailed again at /);
    expect(text).toContain('\ncron-fanout:\n  all is well\n');
    expect(text).toContain('<== lostAnswer');
  });
});

describe('the command line of the demo', () => {
  async function refusal(...args: string[]): Promise<{ error: unknown; written: string }> {
    let written = '';
    const program = createProgram()
      .exitOverride()
      .configureOutput({ writeErr: (text) => (written += text), writeOut: (text) => (written += text) });
    try {
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      return { error, written };
    }
    throw new Error('the command line was accepted');
  }

  it.each([
    ['--seeds', '0', '1 to 100000'],
    ['--seeds', 'many', '1 to 100000'],
    ['--seed', '-1', '0 to 2147483647'],
  ])('rejects %s %s with what is allowed', async (option, value, allowed) => {
    const { error } = await refusal(option, value);
    expect(error).toMatchObject({ code: 'InvalidOption' });
    expect(String(error)).toContain(`${option}: received "${value}"; allowed: a whole number from ${allowed};`);
  });

  it('rejects an option that it does not know with what may have been meant', async () => {
    const { error, written } = await refusal('--sead', '1');
    expect(error).toBeInstanceOf(CommanderError);
    expect(written).toContain('(Did you mean --seed?)');
  });

  it('explains its columns', async () => {
    const { written } = await refusal('--help');
    expect(written).toContain('doubled       mailed again after being marked as done, or twice at once');
  });

  interface Ended {
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }

  function spawned(args: readonly string[], onWritten: (kill: () => void) => void = () => undefined): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['--import', 'tsx', 'bin/demo.ts', ...args], { cwd: ROOT });
      const written = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
      child.stderr.once('data', () => {
        onWritten(() => child.kill('SIGINT'));
      });
      child.stderr.on('data', (chunk) => {
        written.stderr += String(chunk);
      });
      child.on('error', reject);
      child.on('close', (code) => {
        resolve({ code, ...written });
      });
    });
  }

  it('prints JSON and nothing else', async () => {
    const { code, stdout, stderr } = await spawned(['--seeds', '2', '--seed', '8', '--json']);
    const summary = JSON.parse(stdout) as Summary;
    expect([code, stderr]).toEqual([0, '2 seeds from 8\n']);
    expect(summary.seeds).toBe(2);
    expect(summary.contenders.map(({ name }) => name)).toEqual(CONTENDERS.map(({ name }) => name));
    expect(summary.contenders.at(-1)?.counts).toEqual(NONE);
  });

  it('ends cleanly when it is interrupted, with what it has seen until then', async () => {
    const { code, stdout, stderr } = await spawned(['--seeds', '100000'], (kill) => {
      kill();
    });
    expect(code).toBe(130);
    expect(stderr).toMatch(/\nstopped after \d+ of 100000 seeds\n$/);
    expect(stdout).toMatch(/^\d+ seeds, \d+ bookings/);
  });
});
