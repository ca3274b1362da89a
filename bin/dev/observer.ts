import type { DeadEnvelope, Envelope, HandlerSignal, ScanSignal } from '../../lambda/contract';
import { CHANNELS } from '../../lambda/contract';
import type { SqsEvent } from '../../lambda/simulation/sqs/events';
import type { FunctionSignal } from './function-host/messages';
import type { Counts, HandlerEvent, Observed } from './observed-run';
import { RunObservation } from './observed-run';

/** Names of the queues of a fanout. */
export interface ObservedQueues {
  readonly work: string;
  readonly deadLetter: string;
}

/**
 * Watches a fanout from outside: the calls of its handlers, as its function processes report them, and what goes through its queues. It knows nothing of
 * the ledger, so that the two can be held against each other.
 */
export class Observer {
  private readonly runs = new Map<string, RunObservation>();

  constructor(private readonly queues: ObservedQueues) {}

  /** Ids of the runs that were seen, in the order of their first sign. */
  get runIds(): readonly string[] {
    return [...this.runs.keys()];
  }

  /** Takes note of a signal from the function process with id `processId`. */
  readonly signal = (signal: FunctionSignal, processId: number): void => {
    if (signal.channel === CHANNELS.scan) {
      const page = signal.message as ScanSignal;
      this.run(page.runId).scanned(page);
    } else if (signal.channel === CHANNELS.handler) {
      const call = signal.message as HandlerSignal;
      this.run(call.runId).handled({ ...call, at: signal.at, processId } satisfies HandlerEvent);
    }
  };

  /** Takes note that a function process is gone: the handlers that it was in are over. */
  readonly processEnded = (processId: number): void => {
    for (const run of this.runs.values()) {
      run.processEnded(processId, now());
    }
  };

  /** Takes note of an event of the queue engine. */
  readonly queueEvent = (event: SqsEvent): void => {
    if (event.type === 'sent' && event.queue === this.queues.work) {
      this.envelope(event.message.body, (run, envelope) => {
        run.enqueued(envelope);
      });
    } else if (event.type === 'deleted' && event.queue === this.queues.work) {
      this.envelope(event.message.body, (run, envelope) => {
        run.acknowledged(envelope);
      });
    } else if (
      (event.type === 'sent' && event.queue === this.queues.deadLetter) ||
      (event.type === 'deadLettered' && event.target === this.queues.deadLetter)
    ) {
      this.envelope(event.message.body, (run, envelope) => {
        run.died(envelope, now());
      });
    }
  };

  /** What was seen so far of the run that began last. */
  newestCounts(): Counts {
    const newest = [...this.runs.values()].at(-1);
    return newest?.counts() ?? { scanned: 0, enqueued: 0, succeeded: 0, retried: 0, dead: 0 };
  }

  /** The books of a run, as they were seen. */
  observed(runId: string): Observed {
    return this.run(runId).observed();
  }

  /** Messages of a run in the dead-letter queue, in the order of their arrival. */
  deadRecords(runId: string): readonly (Envelope & Partial<DeadEnvelope>)[] {
    return this.run(runId).deadRecords();
  }

  private envelope(body: string, use: (run: RunObservation, envelope: Envelope) => void): void {
    let envelope: unknown;
    try {
      envelope = JSON.parse(body);
    } catch {
      // A body that somebody else put into the queue belongs to no run.
      return;
    }
    if (typeof envelope === 'object' && envelope !== null && 'run' in envelope && typeof envelope.run === 'string') {
      use(this.run(envelope.run), envelope as Envelope);
    }
  }

  private run(runId: string): RunObservation {
    let run = this.runs.get(runId);
    if (run === undefined) {
      run = new RunObservation();
      this.runs.set(runId, run);
    }
    return run;
  }
}

/** Nanoseconds of the machine's monotonic clock, as function processes stamp their signals. */
function now(): number {
  return Number(process.hrtime.bigint());
}
