import type { InvokeFunction } from '../event-source-mapping';
import { EventSourceMapping } from '../event-source-mapping';
import type { Queue } from '../sqs';
import type { VirtualClock } from '../virtual-clock';
import { EnvironmentPool } from './environment-pool';
import type { FaultPlan } from './faults';
import type { Instance } from './instance';
import type { Trace } from './trace';

/** A consumer in an execution environment. */
export interface ConsumerEnvironment {
  readonly instance: Instance;
  handle: (event: never, context: { getRemainingTimeInMillis(): number }) => Promise<unknown>;
}

/** What a {@link ConsumerFunction} is made of. */
export interface ConsumerFunctionOptions {
  readonly queue: Queue;
  readonly clock: VirtualClock;
  readonly plan: FaultPlan;
  readonly trace: Trace;
  readonly timeoutSeconds: number;
  /** Whether environments freeze between invocations. */
  readonly freezes: boolean;
  readonly create: () => ConsumerEnvironment;
}

/** The consumer's Lambda function and its event source mapping; environments are used again, one invocation at a time. */
export class ConsumerFunction {
  private readonly environments: EnvironmentPool<ConsumerEnvironment>;
  private mapping: EventSourceMapping | undefined;
  /** Mappings that end after their last invocations. */
  private readonly ending = new Set<EventSourceMapping>();

  constructor(private readonly options: ConsumerFunctionOptions) {
    this.environments = new EnvironmentPool(options.create);
  }

  /** Whether no invocation runs and no message can be received. */
  get isIdle(): boolean {
    return this.ending.size === 0 && this.mapping?.idle !== false;
  }

  /** Deploys the function: its environments take no further invocation, and the mapping has new numbers. */
  deploy({ concurrency, batchSize }: { readonly concurrency: number; readonly batchSize: number }): void {
    const { queue, clock, timeoutSeconds } = this.options;
    this.environments.retire();
    this.disable();
    this.mapping = new EventSourceMapping({
      queue,
      clock,
      batchSize,
      maximumConcurrency: concurrency,
      functionTimeoutSeconds: timeoutSeconds,
      reportBatchItemFailures: true,
      invoke: this.invoke,
    });
    this.mapping.start();
  }

  /** Disables the mapping: nothing is received until the next deployment. */
  disable(): void {
    const { mapping } = this;
    this.mapping = undefined;
    if (mapping !== undefined) {
      this.ending.add(mapping);
      void mapping.stop().then(() => this.ending.delete(mapping));
    }
  }

  private readonly invoke: InvokeFunction = async (event, { signal, deadlineAt = Infinity }) => {
    const { clock, plan, trace, freezes } = this.options;
    const fault = plan.next('consumer');
    if (fault === 'throttledInvocation') {
      throw Object.assign(new Error('the function is throttled'), { name: 'TooManyRequestsException' });
    }
    const { environment, giveBack } = this.environments.take();
    const { instance } = environment;
    instance.deadline = deadlineAt;
    instance.thaw();
    trace.add(clock.now(), instance.name, `starts: ${event.Records.length} messages`);
    signal.addEventListener('abort', () => {
      instance.kill('timeout');
    });
    const work = environment.handle(event as never, { getRemainingTimeInMillis: () => deadlineAt - clock.now() });
    const answer = await Promise.race([work, instance.ended]);
    trace.add(
      clock.now(),
      instance.name,
      `answers: ${JSON.stringify(answer)}${fault === undefined ? '' : `  <== ${fault}`}`,
    );
    if (freezes) {
      instance.freeze();
    }
    giveBack();
    if (fault === 'lostAnswer') {
      throw new Error('the answer was lost');
    }
    return answer;
  };
}
