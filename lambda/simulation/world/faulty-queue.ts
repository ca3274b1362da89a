import type { FailedEntry, MessageQueue, SendBatchResult, SendEntry, VisibilityChange } from '../../ports';
import type { Fault, FaultPlan } from './faults';
import type { FaultyCalls } from './faulty-calls';
import { CallFailed } from './faulty-calls';
import type { Instance } from './instance';

/** What a queue of an instance is made of. */
export interface FaultyQueueOptions {
  readonly name: string;
  readonly inner: MessageQueue;
  readonly calls: FaultyCalls;
  readonly plan: FaultPlan;
  readonly instance: Instance;
  /** Whether SQS refuses an entry for good. */
  readonly refuses: (entry: SendEntry) => boolean;
  /** Called when a send is made, before its turn comes. */
  readonly onSending: (entries: readonly SendEntry[]) => void;
}

/** What becomes of one entry of a batch. */
type Fate = 'accepted' | 'failed' | 'sentUnlisted' | 'unlisted';

/** A queue as one instance reaches it: every call takes its turn and may fail, as a whole or in part. */
export class FaultyQueue implements MessageQueue {
  constructor(private readonly options: FaultyQueueOptions) {}

  sendBatch(entries: readonly SendEntry[]): Promise<SendBatchResult> {
    const { calls, instance, name, onSending } = this.options;
    onSending(entries);
    return calls.make(instance, 'send', `send ${entries.length} to ${name}`, (fault) => this.send(entries, fault));
  }

  changeVisibility(changes: readonly VisibilityChange[]): Promise<number> {
    const { calls, instance, inner, name } = this.options;
    const what = `change visibility of ${changes.length} in ${name} to ${changes.map(({ seconds }) => seconds).join()} s`;
    return calls.make(instance, 'call', what, (fault) =>
      fault === 'throttle'
        ? inner.changeVisibility(changes.slice(1)).then((failed) => failed + 1)
        : inner.changeVisibility(changes),
    );
  }

  private async send(entries: readonly SendEntry[], fault: Fault | undefined): Promise<SendBatchResult> {
    const { inner, plan, refuses } = this.options;
    if (fault === 'throttle' && plan.shape(0) < 0.5) {
      throw new CallFailed('the rate of calls is too high', 'ThrottlingException');
    }
    const fates = entries.map((entry, place): Fate =>
      refuses(entry) ? 'failed' : fateOf(fault, plan.shape(place + 1)),
    );
    const sent = entries.filter((_, place) => fates[place] === 'accepted' || fates[place] === 'sentUnlisted');
    const answer = sent.length === 0 ? { accepted: [], failed: [] } : await inner.sendBatch(sent);
    const unlisted = new Set(entries.filter((_, place) => fates[place] === 'sentUnlisted').map(({ id }) => id));
    const failed = entries.filter((_, place) => fates[place] === 'failed').map((entry) => this.failure(entry));
    return {
      accepted: answer.accepted.filter((id) => !unlisted.has(id)),
      failed: [...answer.failed, ...failed],
    };
  }

  private failure(entry: SendEntry): FailedEntry {
    return this.options.refuses(entry)
      ? { id: entry.id, code: 'InvalidMessageContents', message: 'refused for good', senderFault: true }
      : { id: entry.id, code: 'InternalError', message: 'try again', senderFault: false };
  }
}

function fateOf(fault: Fault | undefined, fraction: number): Fate {
  if (fault === 'throttle' || fault === 'partial') {
    return fraction < 0.5 ? 'failed' : 'accepted';
  }
  if (fault === 'unlisted' && fraction < 0.6) {
    return fraction < 0.3 ? 'sentUnlisted' : 'unlisted';
  }
  return 'accepted';
}
