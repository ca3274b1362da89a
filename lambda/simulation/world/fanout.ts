import type { FanoutConfiguration } from '../../contract';
import { Consumer } from '../../consumer/consumer';
import type { AnyJob } from '../../job/job';
import { ErrorTexts } from '../../job/error-texts';
import { JobSetup } from '../../job/environment';
import { collectJobs } from '../../job/registry';
import type { MessageQueue, Metrics, Randomness, Secrets, SendEntry, StateStore, Tracer } from '../../ports';
import { Scanner } from '../../scanner/scanner';
import { RecordedMetrics } from '../recorded-metrics';
import type { Queue } from '../sqs';
import { EngineMessageQueue, receive, deleteReceived } from '../sqs';
import { ConsumerFunction } from './consumer-function';
import { FaultyQueue } from './faulty-queue';
import type { Instance } from './instance';
import { instanceTracer } from './instance-tracer';
import { observedJob } from './observed-job';
import { ObservedStore } from './observed-store';
import { Operator } from './operator';
import { envelopeOf } from './queue-observer';
import { ScannerFunction } from './scanner-function';
import type { FanoutSpec } from './spec';
import { TraceLogger } from './trace-logger';
import type { SourceTable } from './source-table';
import type { FanoutView, WorldView } from './world-view';

/** Bodies that SQS refuses for good hold this text. */
const REFUSED_MARK = '"flaw":"refused"';

/** Makes the jobs of a fanout for one execution environment. */
export type JobFactory = (instance: Instance, deployed: DeployedCode) => readonly AnyJob[];

/** The code that an execution environment runs. */
export interface DeployedCode {
  /** Version of the payload that it knows. */
  readonly payloadVersion: number;
}

/** Jobs of a fanout, and what they read. */
export interface FanoutJobs {
  readonly create: JobFactory;
  /** Tables of the sources by `jobType`; none where the sources are a user's. */
  readonly tables?: ReadonlyMap<string, SourceTable> | undefined;
  /** What `secret` in a job's `setup` reads. @default - any name has a secret */
  readonly secrets?: Secrets | undefined;
}

/** A fanout in a world: its queues, its functions, and what calls them. */
export class SimulatedFanout implements FanoutView {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly scanner: ScannerFunction;
  readonly consumer: ConsumerFunction;
  /** What all its environments counted. */
  readonly metrics = new RecordedMetrics();
  private configuration: FanoutConfiguration;
  private payloadVersion: number;
  private removed: readonly string[] = [];
  private eventsToCome = 0;

  constructor(
    private readonly world: WorldView,
    readonly spec: FanoutSpec,
    private readonly jobs: FanoutJobs,
  ) {
    const { engine, clock, plan, trace } = world;
    this.configuration = spec.configuration;
    this.payloadVersion = spec.payloadVersion ?? 1;
    this.deadLetterQueue = engine.createQueue(`${spec.fanoutId}-dead.fifo`, { FifoQueue: 'true' });
    this.queue = engine.createQueue(`${spec.fanoutId}.fifo`, {
      FifoQueue: 'true',
      VisibilityTimeout: String(spec.configuration.visibilityTimeout),
      MessageRetentionPeriod: String(spec.configuration.queueRetention),
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: this.deadLetterQueue.arn,
        maxReceiveCount: spec.configuration.maxReceiveCount,
      }),
    });
    this.scanner = new ScannerFunction({
      clock,
      plan,
      trace,
      timeoutMs: spec.scannerTimeout * 1000,
      create: () => this.createScanner(),
      onAnswer: (by, event, outcome) => {
        world.observe({ type: 'answered', by, fanoutId: spec.fanoutId, event, outcome });
      },
    });
    this.consumer = new ConsumerFunction({
      clock,
      plan,
      trace,
      queue: this.queue,
      timeoutSeconds: spec.consumerTimeout,
      freezes: world.spec.freezes,
      create: () => this.createConsumer(),
    });
  }

  /** Tables of the sources by `jobType`. */
  get tables(): ReadonlyMap<string, SourceTable> {
    return this.jobs.tables ?? new Map<string, SourceTable>();
  }

  /** Identifies the fanout. */
  get id(): string {
    return this.spec.fanoutId;
  }

  /** Whether everything that was to happen has happened, and nothing is left to do without the watchdog. */
  get isIdle(): boolean {
    const { visible, delayed, inFlight } = this.queue.counts();
    return this.eventsToCome === 0 && this.scanner.isIdle && this.consumer.isIdle && visible + delayed + inFlight === 0;
  }

  /** Sets the clockwork going. */
  start(): void {
    const { ticks, deploys, poison, redrives, resumes, outages, watchdog } = this.spec;
    this.consumer.deploy(this.spec);
    for (const { at, scheduledTime } of ticks) {
      const event = { kind: 'tick', scheduledTime, scheduleArn: 'arn', attempt: '1' } as const;
      this.at(at, () => {
        this.scanner.invoke(event);
      });
    }
    for (const deploy of deploys) {
      this.at(deploy.at, () => {
        this.world.trace.add(this.world.clock.now(), this.id, `deploys: ${deploy.concurrency} x ${deploy.batchSize}`);
        this.configuration = deploy.configuration;
        this.payloadVersion = deploy.payloadVersion ?? this.payloadVersion;
        this.removed = deploy.removed ?? [];
        this.scanner.retire();
        this.consumer.deploy(deploy);
      });
    }
    for (const { at, body, groupId } of poison) {
      this.at(at, () => {
        const entry = { id: '0', body, groupId, deduplicationId: `poison-${at}` };
        void new EngineMessageQueue(this.queue).sendBatch([entry]);
      });
    }
    for (const { at, native } of redrives) {
      this.at(at, () => {
        if (native) {
          this.moveBack();
          return;
        }
        this.eventsToCome += 1;
        void this.newOperator()
          .redriveAll()
          .finally(() => {
            this.eventsToCome -= 1;
          });
      });
    }
    for (const { at, runId } of resumes) {
      this.at(at, () => {
        this.scanner.invoke({ kind: 'resume', runId });
      });
    }
    for (const { at, until } of outages) {
      this.at(at, () => {
        this.consumer.disable();
      });
      this.at(until, () => {
        this.consumer.deploy(this.spec);
      });
    }
    this.watch(watchdog * 1000);
  }

  private at(milliseconds: number, act: () => void): void {
    this.eventsToCome += 1;
    this.world.clock.setTimer(milliseconds, () => {
      this.eventsToCome -= 1;
      act();
    });
  }

  private watch(everyMs: number): void {
    this.world.clock.setTimer(everyMs, () => {
      this.scanner.invoke({ kind: 'watchdog' });
      this.watch(everyMs);
    });
  }

  /** Moves what is dead back to the work queue, as a move task of SQS does: one message after the other, with nothing said to the ledger. */
  private moveBack(): void {
    const { trace, clock, observe } = this.world;
    for (let moved = 0; moved < 1000; moved++) {
      const [message] = receive(this.deadLetterQueue, { limit: 1 });
      if (message === undefined) {
        return;
      }
      const envelope = envelopeOf(message.body);
      deleteReceived(this.deadLetterQueue, message.receiptHandle ?? '');
      trace.add(clock.now(), this.id, `moves ${envelope?.key ?? '?'} back`);
      observe({ type: 'redriven', fanoutId: this.id, envelope });
      const entry = {
        id: '0',
        body: message.body,
        groupId: message.groupId ?? 'none',
        deduplicationId: `redrive-${clock.now()}-${moved}`,
      };
      void new EngineMessageQueue(this.queue).sendBatch([entry]);
    }
  }

  private newOperator(): Operator {
    const { world, deadLetterQueue, id: fanoutId } = this;
    const { clock, trace, calls, observe } = world;
    return new Operator({
      ...{ deadLetterQueue, clock, trace, calls },
      create: () => {
        const instance = world.newInstance(`${fanoutId}/ops`);
        const { ledgerRetention } = this.configuration;
        return { instance, context: { ...this.portsOf(instance), fanoutId, ledgerRetention } };
      },
      onRedrive: (envelope) => {
        observe({ type: 'redriven', fanoutId, envelope });
      },
    });
  }

  private createScanner(): ReturnType<ConstructorParameters<typeof ScannerFunction>[0]['create']> {
    const { world, configuration } = this;
    const instance = world.newInstance(`${this.id}/scan`);
    const ports = this.portsOf(instance);
    const registry = collectJobs({ default: this.jobsOf(instance) });
    const scanner = new Scanner({
      ...ports,
      fanoutId: this.id,
      configuration,
      registry,
      errors: new ErrorTexts(registry),
      setup: new JobSetup(registry, ports),
      invoker: {
        continueScan: (event) =>
          world.calls.make(instance, 'call', 'invoke a continuation', () => {
            world.observe({ type: 'handedOver', by: instance, fanoutId: this.id, event });
            this.scanner.invoke(event);
            return Promise.resolve();
          }),
      },
    });
    return {
      instance,
      handle: (event, remaining) => {
        world.observe({ type: 'invoked', by: instance, fanoutId: this.id, role: 'scanner' });
        return scanner.handle(event, remaining);
      },
    };
  }

  private createConsumer(): ReturnType<ConstructorParameters<typeof ConsumerFunction>[0]['create']> {
    const { world, configuration } = this;
    const instance = world.newInstance(`${this.id}/work`);
    const ports = this.portsOf(instance);
    const jobs = collectJobs({ default: this.jobsOf(instance) });
    const consumer = new Consumer({
      ...ports,
      fanoutId: this.id,
      configuration,
      jobs,
      errors: new ErrorTexts(jobs),
      setup: new JobSetup(jobs, ports),
      exit: () => {
        instance.kill('exit');
      },
    });
    return {
      instance,
      handle: (event, context) => {
        world.observe({ type: 'invoked', by: instance, fanoutId: this.id, role: 'consumer' });
        return consumer.handle(event, context);
      },
    };
  }

  private jobsOf(instance: Instance): readonly AnyJob[] {
    const { plan, steps, trace, clock, observe } = this.world;
    const watch = { instance, fanoutId: this.id, plan, steps, trace, observe, now: () => clock.now() };
    const deployed = this.jobs.create(instance, { payloadVersion: this.payloadVersion });
    return deployed
      .filter(({ jobType }) => !this.removed.includes(jobType))
      .map((job) => {
        const handlerMs = this.spec.jobs.find(({ jobType }) => jobType === job.jobType)?.handlerMs ?? 100;
        return observedJob(job, { ...watch, handlerMs });
      });
  }

  private portsOf(instance: Instance): {
    readonly store: StateStore;
    readonly queue: MessageQueue;
    readonly deadLetterQueue: MessageQueue;
    readonly clock: Instance['clock'];
    readonly randomness: Randomness;
    readonly logger: TraceLogger;
    readonly metrics: Metrics;
    readonly tracer: Tracer;
    readonly secrets: Secrets;
  } {
    const { memory, calls, plan, observe, trace, clock } = this.world;
    const shared = { calls, plan, instance };
    const sending = (entries: readonly SendEntry[]): void => {
      observe({ type: 'sending', by: instance, fanoutId: this.id, entries });
    };
    return {
      store: new ObservedStore({ memory, calls, instance, fanoutId: this.id, observe }),
      queue: new FaultyQueue({
        ...shared,
        name: 'the queue',
        inner: new EngineMessageQueue(this.queue),
        refuses: ({ body }) => body.includes(REFUSED_MARK),
        onSending: sending,
      }),
      deadLetterQueue: new FaultyQueue({
        ...shared,
        name: 'the dead-letter queue',
        inner: new EngineMessageQueue(this.deadLetterQueue),
        refuses: () => false,
        onSending: () => undefined,
      }),
      clock: instance.clock,
      randomness: instance.randomness,
      logger: new TraceLogger(trace, clock, instance.name),
      metrics: this.metrics,
      tracer: instanceTracer(instance.name),
      secrets: this.jobs.secrets ?? { read: (name) => Promise.resolve(`secret ${name}`) },
    };
  }
}
