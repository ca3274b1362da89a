import type { RunItem } from '../contract';
import { CronFanoutError } from '../contract';
import { textOf } from '../scanner/record-check';
import { shown } from './option-checks';
import type { Invariant, InvariantRule } from './invariants/invariant';

/** Times that `setup` may fail before it was ever seen to succeed. */
const SETUP_TRIES = 3;
/** Records, and items, that a simulation takes from sources. */
const MOST_YIELDED = 100_000;
/** Codes of what is wrong with a source itself, so that no seed mends it. */
const BROKEN_SOURCE =
  /^(?<what>.*?): received (?<received>.*); allowed: (?<allowed>.*); (?<change>.*) \[(?<code>InvalidSource|InvalidSourceItem|InvalidCursor|RepeatedCursor)\]$/s;

/** What is wrong with the jobs themselves, so that there is nothing to simulate: ends the simulation with an error that says what to change. */
export class JobFaults {
  /** What was found. */
  found: Error | undefined;
  private end: (what: string) => void = () => undefined;
  private setupFailures = 0;
  private hasSetUp = false;
  private yielded = 0;
  private readonly patience: number;

  /** @param patience real milliseconds that code is waited for */
  constructor(patience: number) {
    this.patience = patience;
  }

  /** Watches the runs of a world, and ends it. */
  readonly rule: InvariantRule = {
    name: 'the job',
    watch: ({ violated }): Invariant => {
      this.end = violated;
      return {
        observe: (observation) => {
          if (observation.type === 'written' && observation.key.sk.startsWith('RUN#')) {
            this.runWritten(observation.after as RunItem | undefined);
          } else if (observation.type === 'yielded') {
            this.itemYielded();
          }
        },
      };
    },
  };

  /** `setup` returned. */
  setUp(what: string, result: unknown): void {
    if ((typeof result === 'object' && result !== null) || result === undefined) {
      this.hasSetUp = true;
      return;
    }
    this.stop(
      new CronFanoutError('InvalidSetup', {
        what,
        received: shown(result),
        allowed: 'an object, whose members source and handler are given; or nothing',
        change: 'return an object, for example { db }',
      }),
    );
  }

  /** `setup` threw. */
  setupFailed(what: string, thrown: unknown): void {
    this.setupFailures += 1;
    if (!this.hasSetUp && this.setupFailures >= SETUP_TRIES) {
      this.stop(
        new CronFanoutError('SetupFailed', {
          what,
          received: textOf(thrown),
          allowed: 'a setup that succeeds, at the latest when it is tried again',
          change: 'give the simulation fakes by its setup option, and secrets by its secrets option',
          cause: thrown,
        }),
      );
    }
  }

  /** Code was waited for in vain; of a handler or a source that is something to simulate, of `setup` it is not. */
  givenUp(what: string): void {
    if (what.startsWith('setup ')) {
      this.stop(
        new CronFanoutError('SetupHangs', {
          what,
          received: `no answer within ${this.patience} milliseconds`,
          allowed: 'a setup that ends',
          change: 'give the simulation fakes by its setup option, or raise its patience option',
        }),
      );
    }
  }

  /** A callback of a timer threw, which ends a process. */
  uncaught(thrown: unknown): void {
    this.stop(
      new CronFanoutError('UncaughtError', {
        what: 'callback of a timer that a function of the job has set',
        received: textOf(thrown),
        allowed: 'a callback that does not throw: in Lambda it would end the execution environment',
        change: 'catch the error in the callback',
        cause: thrown,
      }),
    );
  }

  /** A source yielded an item, or a record. */
  itemYielded(): void {
    this.yielded += 1;
    if (this.yielded > MOST_YIELDED) {
      this.stop(
        new CronFanoutError('TooManyRecords', {
          what: 'what the sources yield in a simulation',
          received: `more than ${MOST_YIELDED} items and records`,
          allowed: `at most ${MOST_YIELDED}, those that are read again included`,
          change: 'see whether the source ever ends, or give the simulation fewer records by its records option',
        }),
      );
    }
  }

  private runWritten(run: RunItem | undefined): void {
    const parts = run?.state === 'failed' ? BROKEN_SOURCE.exec(run.cause ?? '')?.groups : undefined;
    if (parts !== undefined) {
      const { what = '', received = '', allowed = '', change = '', code = '' } = parts;
      this.stop(new CronFanoutError(code, { what, received, allowed, change }));
    }
  }

  private stop(error: Error): void {
    this.found ??= error;
    this.end(error.message);
  }
}
