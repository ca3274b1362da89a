import { parentPort } from 'node:worker_threads';
import type { FailureReport } from '../../lambda/simulation/failure-report';
import { reportFailure } from '../../lambda/simulation/failure-report';
import { SCENARIOS, scenarioNamed } from '../../lambda/simulation/scenarios';
import type { Scenario } from '../../lambda/simulation/scenarios/scenario';
import { runSeed } from '../../lambda/simulation/seed-run';

/** What a worker is asked for. */
export interface Task {
  readonly seed: number;
  /** @default - scenarios take turns */
  readonly only?: string | undefined;
  /** Whether a failure is made smaller and reported at length. */
  readonly isReported: boolean;
}

/** What a worker answers. */
export interface Answer {
  readonly seed: number;
  readonly scenario: string;
  readonly steps: number;
  readonly records: number;
  /** The invariant that does not hold. */
  readonly broken?: string;
  readonly report?: FailureReport;
}

/** Milliseconds that may be spent on making a failure smaller. */
const SHRINK_MS = 20_000;

/** The scenario of a seed. */
function scenarioOf({ seed, only }: Task): Scenario {
  const scenario = SCENARIOS[seed % SCENARIOS.length];
  return only === undefined && scenario !== undefined ? scenario : scenarioNamed(only ?? '');
}

async function run(task: Task): Promise<Answer> {
  const scenario = scenarioOf(task);
  const outcome = await runSeed(scenario, task.seed);
  const { violation, steps, records } = outcome.result;
  const endsAt = Date.now() + SHRINK_MS;
  const isOver = (): boolean => Date.now() > endsAt;
  return {
    seed: task.seed,
    scenario: scenario.name,
    steps,
    records,
    ...(violation === undefined ? {} : { broken: violation.invariant }),
    ...(violation !== undefined && task.isReported
      ? { report: await reportFailure(scenario, task.seed, outcome, isOver) }
      : {}),
  };
}

parentPort?.on('message', (task: Task) => {
  void run(task).then(
    (answer) => {
      parentPort?.postMessage({ answer });
    },
    (error: unknown) => {
      parentPort?.postMessage({ error: error instanceof Error ? error.stack : String(error) });
    },
  );
});
