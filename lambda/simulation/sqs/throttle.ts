import type { Clock } from '../../ports';
import { SqsError } from './errors';

/** Calls that the service's request quotas count; a batch call counts as one of its kind. */
export type ThrottledCall = 'SendMessage' | 'ReceiveMessage' | 'DeleteMessage' | 'ChangeMessageVisibility';

/** A bucket of calls that refills evenly and holds one second's worth. */
export class Throttle {
  private readonly buckets = new Map<string, { calls: number; filledAt: number }>();

  /** @param callsPerSecond quota of each call of each queue; a call without one is not limited */
  constructor(
    private readonly clock: Clock,
    private readonly callsPerSecond: Readonly<Partial<Record<ThrottledCall, number>>>,
  ) {}

  /** @throws SqsError `RequestThrottled` when the quota is used up */
  admit(queue: string, call: ThrottledCall): void {
    const quota = this.callsPerSecond[call];
    if (quota === undefined) {
      return;
    }
    const now = this.clock.now();
    const key = `${queue}/${call}`;
    const bucket = this.buckets.get(key) ?? { calls: quota, filledAt: now };
    bucket.calls = Math.min(quota, bucket.calls + ((now - bucket.filledAt) * quota) / 1000);
    bucket.filledAt = now;
    this.buckets.set(key, bucket);
    if (bucket.calls < 1) {
      throw new SqsError('RequestThrottled', `The request rate for ${call} on ${queue} exceeds ${quota} per second.`);
    }
    bucket.calls -= 1;
  }
}
