import { sleep } from '../../lambda/ports';
import type { FunctionPool, InvocationResult } from './function-pool';
import type { LocalClock } from './local-clock';
import type { AsynchronousConfiguration } from './resources';

/** How an asynchronous invocation ended, its retries included. */
export type AsynchronousOutcome =
  | { readonly status: 'succeeded'; readonly attempts: number; readonly payload: unknown }
  | { readonly status: 'discarded'; readonly attempts: number; readonly result: InvocationResult };

/** What AWS Lambda sends to a failure destination. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
export interface InvocationRecord {
  readonly version: '1.0';
  readonly timestamp: string;
  readonly requestContext: {
    readonly requestId: string;
    readonly functionArn: string;
    readonly condition: 'RetriesExhausted' | 'EventAgeExceeded';
    readonly approximateInvokeCount: number;
  };
  readonly requestPayload: unknown;
  readonly responseContext: {
    readonly statusCode: 200;
    readonly executedVersion: '$LATEST';
    readonly functionError: string;
  };
  readonly responsePayload: unknown;
}

/** Waits before the first and the second retry. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
const RETRY_DELAYS_MS = [60_000, 120_000];
/** A throttled event is tried again after a second, then at longer intervals of up to five minutes. @see the same page */
const THROTTLE_DELAY_MS = 1_000;
const LONGEST_THROTTLE_DELAY_MS = 300_000;

/** The event queue of a function: invokes it, retries failures, and hands what is discarded to the failure destination. */
export class AsynchronousInvocations {
  private readonly stopping = new AbortController();

  constructor(
    private readonly pool: Pick<FunctionPool, 'description' | 'invoke'>,
    private readonly configuration: AsynchronousConfiguration,
    private readonly clock: LocalClock,
    private readonly sendToFailureDestination: (arn: string, record: InvocationRecord) => Promise<void>,
  ) {}

  /** Accepts an event and answers how it ended in the end. */
  async invoke(event: unknown): Promise<AsynchronousOutcome> {
    const accepted = this.clock.now();
    let throttles = 0;
    for (let attempts = 1; ;) {
      const result = await this.pool.invoke(event);
      if (result.status === 'succeeded') {
        return { status: 'succeeded', attempts, payload: result.payload };
      }
      const failed = result.status === 'failed';
      const delay = failed
        ? (RETRY_DELAYS_MS[attempts - 1] ?? 0)
        : Math.min(THROTTLE_DELAY_MS * 2 ** throttles++, LONGEST_THROTTLE_DELAY_MS);
      const exhausted = failed && attempts > this.configuration.retries;
      const tooOld = this.clock.now() + delay - accepted > this.configuration.maximumAgeSeconds * 1000;
      if (exhausted || tooOld || this.stopping.signal.aborted) {
        await this.discard(event, attempts, result, exhausted ? 'RetriesExhausted' : 'EventAgeExceeded');
        return { status: 'discarded', attempts, result };
      }
      await sleep(this.clock, delay, this.stopping.signal);
      attempts += failed ? 1 : 0;
    }
  }

  /** Ends waits for retries; nothing is sent to the failure destination any more. */
  stop(): void {
    this.stopping.abort();
  }

  private async discard(
    requestPayload: unknown,
    attempts: number,
    result: InvocationResult,
    condition: InvocationRecord['requestContext']['condition'],
  ): Promise<void> {
    const { failureDestination } = this.configuration;
    if (failureDestination === undefined || this.stopping.signal.aborted) {
      return;
    }
    const release = this.clock.hold();
    try {
      await this.sendToFailureDestination(failureDestination, {
        version: '1.0',
        timestamp: new Date(this.clock.now()).toISOString(),
        requestContext: {
          requestId: 'requestId' in result ? result.requestId : '',
          functionArn: `${this.pool.description.arn}:$LATEST`,
          condition,
          approximateInvokeCount: attempts,
        },
        requestPayload,
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        responsePayload: result.status === 'failed' ? result.error : null,
      });
    } finally {
      release();
    }
  }
}
