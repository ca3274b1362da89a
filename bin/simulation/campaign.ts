import type { FailureReport } from '../../lambda/simulation/failure-report';
import { seedAt } from './seeds';
import { SimulationWorker } from './worker-pool';

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 2_000;

/** What a {@link Campaign} runs. */
export interface CampaignOptions {
  /** Path of the bundled worker. */
  readonly bundle: string;
  /** Threads. */
  readonly workers: number;
  /** First seed. */
  readonly from: number;
  readonly seeds: number;
  /** Name of the only scenario. @default - scenarios take turns */
  readonly only: string | undefined;
  /** When no further seed is begun. */
  readonly milliseconds: number;
  /** Failures that are reported at length; the others are only counted. */
  readonly reported: number;
  /** Ends the campaign at once. */
  readonly signal: AbortSignal;
}

/** What came of a {@link Campaign}. */
export interface CampaignResult {
  readonly passed: number;
  readonly failed: number;
}

/** Many seeds, on several threads. */
export class Campaign {
  private passed = 0;
  private failed = 0;
  private steps = 0;
  private begun = 0;
  private readonly startedAt = Date.now();

  constructor(private readonly options: CampaignOptions) {}

  /** Runs the seeds; each failure is told as soon as it is known. */
  async run(onFailure: (report: FailureReport | string) => void): Promise<CampaignResult> {
    const progress = setInterval(() => {
      this.tell(process.stderr.isTTY ? '\r' : '\n');
    }, PROGRESS_MS);
    try {
      await Promise.all(Array.from({ length: this.options.workers }, () => this.work(onFailure)));
    } finally {
      clearInterval(progress);
      this.tell('\n');
    }
    return { passed: this.passed, failed: this.failed };
  }

  private async work(onFailure: (report: FailureReport | string) => void): Promise<void> {
    const { bundle, from, seeds, only, milliseconds, reported, signal } = this.options;
    const worker = new SimulationWorker(bundle, signal);
    try {
      while (this.begun < seeds && Date.now() - this.startedAt < milliseconds && !signal.aborted) {
        const seed = seedAt(from, this.begun++);
        const outcome = await worker.run({ seed, only, isReported: this.failed < reported });
        if (outcome === 'stopped') {
          return;
        }
        if ('answer' in outcome && outcome.answer.broken === undefined) {
          this.passed += 1;
          this.steps += outcome.answer.steps;
          continue;
        }
        this.failed += 1;
        if ('error' in outcome) {
          onFailure(outcome.error);
        } else {
          const { report, seed, scenario, broken } = outcome.answer;
          onFailure(report ?? `seed ${seed} of ${scenario} breaks "${broken ?? ''}"`);
        }
      }
    } finally {
      await worker.end();
    }
  }

  private tell(end: string): void {
    const seconds = Math.max(0.001, (Date.now() - this.startedAt) / 1000);
    const done = this.passed + this.failed;
    const total = Number.isFinite(this.options.seeds) ? `/${this.options.seeds}` : '';
    process.stderr.write(
      `${done}${total} seeds, ${(done / seconds).toFixed(1)}/s, ${Math.round(this.steps / seconds)} steps/s, ${this.failed} failed${end}`,
    );
  }
}
