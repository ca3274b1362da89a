import type { ContinuationEvent, ScannerEvent, TickEvent } from '../../contract';
import type { VirtualClock } from '../virtual-clock';
import { EnvironmentPool } from './environment-pool';
import type { FaultPlan } from './faults';
import type { Instance } from './instance';
import type { Trace } from './trace';

/** Pauses before the retries of an asynchronous invocation, in milliseconds. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRY_MS = [60_000, 120_000] as const;
/** Milliseconds by which a duplicate of an invocation is later at most. */
const DUPLICATE_MS = 240_000;
/** Milliseconds between an asynchronous call and its start at most. */
const START_MS = 300;

/** A scanner in an execution environment. */
export interface ScannerEnvironment {
  readonly instance: Instance;
  handle(event: unknown, remaining: () => number): Promise<{ readonly outcome: string }>;
}

/** What a {@link ScannerFunction} is made of. */
export interface ScannerFunctionOptions {
  readonly clock: VirtualClock;
  readonly plan: FaultPlan;
  readonly trace: Trace;
  readonly timeoutMs: number;
  readonly create: () => ScannerEnvironment;
  readonly onAnswer: (by: Instance, event: ScannerEvent, outcome: string) => void;
}

/** The scanner's Lambda function: asynchronous invocations, retried twice, sometimes delivered twice, in environments that are used again. */
export class ScannerFunction {
  private readonly environments: EnvironmentPool<ScannerEnvironment>;
  private underWay = 0;

  constructor(private readonly options: ScannerFunctionOptions) {
    this.environments = new EnvironmentPool(options.create);
  }

  /** Whether no invocation runs or is still to come. */
  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** Lets environments that exist now take no further invocation. */
  retire(): void {
    this.environments.retire();
  }

  /** Invokes the function as the Scheduler, or the function itself, does. */
  invoke(event: ScannerEvent): void {
    const { plan, clock, trace } = this.options;
    const fault =
      event.kind === 'watchdog' ? undefined : plan.next(event.kind === 'continuation' ? 'continuation' : 'scanner');
    if (fault === 'lostInvocation') {
      trace.add(clock.now(), 'lambda', `${textOf(event)} is lost`);
      return;
    }
    this.schedule(event, 0, plan.shape(0) * START_MS);
    if (fault === 'duplicateInvocation') {
      this.schedule(event, 0, plan.shape(1) * plan.shape(2) * DUPLICATE_MS);
    }
  }

  private schedule(event: ScannerEvent, tries: number, delayMs: number): void {
    this.underWay += 1;
    this.options.clock.setTimer(delayMs, () => {
      void this.start(event, tries).finally(() => {
        this.underWay -= 1;
      });
    });
  }

  private async start(event: ScannerEvent, tries: number): Promise<void> {
    const { clock, trace, timeoutMs } = this.options;
    const { environment, giveBack } = this.environments.take();
    const { instance } = environment;
    trace.add(clock.now(), instance.name, `starts: ${textOf(event)}`);
    const deadline = clock.now() + timeoutMs;
    const timeout = clock.setTimer(timeoutMs, () => {
      instance.kill('timeout');
    });
    try {
      const answer = await Promise.race([environment.handle(event, () => deadline - clock.now()), instance.ended]);
      trace.add(clock.now(), instance.name, `answers: ${answer.outcome}`);
      this.options.onAnswer(instance, event, answer.outcome);
    } catch (error) {
      trace.add(clock.now(), instance.name, `fails: ${String(error)}`);
      const pause = RETRY_MS[tries];
      if (pause !== undefined) {
        this.schedule(event, tries + 1, pause);
      }
    } finally {
      timeout.cancel();
    }
    giveBack();
  }
}

function textOf(event: ScannerEvent): string {
  const {
    kind,
    scheduledTime = '',
    runId = '',
    hops = '',
    fence = '',
  } = event as Partial<TickEvent & ContinuationEvent>;
  return [kind, scheduledTime, runId, hops, fence].filter((part) => part !== '').join(' ');
}
