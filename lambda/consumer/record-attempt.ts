import type { Claim } from '../contract';
import { isPermanentError, retryLaterSeconds } from '../job/failures';
import type { HandlerContext } from '../job/job';
import { CLOCK_SKEW_BOUND_MS } from '../ledger/claim-guard';
import { idempotencyKey } from '../ledger/identity';
import type { AttemptResult } from './attempt';
import { makeAttempt } from './attempt';
import { backOffSeconds } from './back-off';
import type { ReadyPlan } from './plan';
import { pageOf, traceOf } from './received-message';
import { cameAbout } from './record-book';
import type { Step } from './slot';
import type { Thrown } from './thrown';
import { claimError } from './thrown';
import type { LaneServices, Settlement, Verdict } from './verdict';

/** The attempt was the last one: the record dies by its token. */
export interface LastAttempt {
  readonly kind: 'dies';
  readonly cause: string;
  readonly error: Thrown;
}

const NO_TIME: Thrown = { name: 'TimeBudget', message: 'the time of the invocation was over before its turn' };
const IGNORED_SIGNAL: Thrown = { name: 'HandlerTimeout', message: 'the handler went on after its signal' };

/** When a claim of this invocation ends: its deadline and the bound on clock skew, epoch milliseconds. */
export function leaseUntil({ budget }: LaneServices): number {
  return Math.ceil(budget.deadline) + CLOCK_SKEW_BOUND_MS;
}

/** When a claim of this invocation may be taken over by another, epoch milliseconds. */
export function takeoverAt(services: LaneServices): number {
  return leaseUntil(services) + CLOCK_SKEW_BOUND_MS + 1;
}

/** One attempt at a record that this invocation has claimed. */
export class RecordAttempt {
  constructor(
    private readonly services: LaneServices,
    private readonly plan: ReadyPlan,
    private readonly claim: Claim,
  ) {}

  /** Calls the handler and says what follows. Never rejects. */
  async make(): Promise<Verdict | LastAttempt> {
    const { budget, guard, options } = this.services;
    if (budget.isOver()) {
      this.release(NO_TIME, false);
      return { kind: 'return', error: NO_TIME, at: options.clock.now() };
    }
    this.noteStart();
    const start = options.clock.now();
    const result = await this.call();
    options.metrics.add('HandlerDuration', options.clock.now() - start, this.plan.job.jobType);
    switch (result.kind) {
      case 'succeeded':
      case 'obsolete':
        return { kind: 'settle', settlement: this.settlement(result.kind) };
      case 'failed':
        return this.failed(result.thrown);
      case 'abandoned':
        options.metrics.add('FailedAttempts', 1, this.plan.job.jobType);
        guard.watch(result.late, leaseUntil(this.services));
        void this.settleLate(result.late);
        if (this.isLastReceive()) {
          return { kind: 'dies', cause: 'Backstop', error: IGNORED_SIGNAL };
        }
        return { kind: 'return', error: IGNORED_SIGNAL, at: takeoverAt(this.services) };
    }
  }

  /** The wait of a record that starts for the first time; that of a redriven one began with its death. */
  private noteStart(): void {
    const { sentAt, content } = this.plan.subject.message;
    if (sentAt !== undefined && this.claim.a === 1 && content.envelope.deathId === undefined) {
      const { clock, metrics } = this.services.options;
      metrics.add('StartLag', Math.max(0, clock.now() - sentAt));
    }
  }

  private call(): ReturnType<typeof makeAttempt> {
    const { job, payload, dependencies, policy, subject } = this.plan;
    const { segment, page, ordinal } = subject.message.content.envelope;
    const timeout = policy.handlerTimeout === undefined ? {} : { timeout: policy.handlerTimeout * 1000 };
    const context = this.context();
    const attempt = {
      job,
      payload,
      dependencies,
      context,
      place: { segment, page, ordinal },
      ...timeout,
    };
    const { budget, options } = this.services;
    return options.tracer.run(context.trace, () => makeAttempt(attempt, options.clock, budget));
  }

  private context(): Omit<HandlerContext, 'signal'> {
    const { envelope } = this.plan.subject.message.content;
    const { run: runId, key, group } = envelope;
    const { jobType } = this.plan.job;
    return {
      runId,
      jobType,
      key,
      group,
      params: this.plan.run.params ?? {},
      attempt: this.claim.a,
      maxAttempts: this.plan.maxAttempts,
      idempotencyKey: idempotencyKey(pageOf(envelope), key),
      trace: traceOf(this.plan.subject.message, this.plan.run),
      log: this.services.options.logger.with({ runId, jobType, key }),
    };
  }

  private failed(thrown: unknown): Verdict | LastAttempt {
    const { options } = this.services;
    const { run: runId, job: jobType, key } = this.plan.subject.message.content.envelope;
    const error = options.errors.describe(thrown, this.plan.job);
    const attempt = this.claim.a;
    options.metrics.add('FailedAttempts', 1, this.plan.job.jobType);
    options.logger.warn('an attempt failed', {
      runId,
      jobType,
      key,
      attempt,
      maxAttempts: this.plan.maxAttempts,
      error,
    });
    if (isPermanentError(thrown)) {
      return { kind: 'dies', cause: 'PermanentError', error };
    }
    if (!this.isRetryable(thrown)) {
      return { kind: 'dies', cause: 'NotRetryable', error };
    }
    if (attempt >= this.plan.maxAttempts) {
      return { kind: 'dies', cause: 'AttemptsExhausted', error };
    }
    if (this.isLastReceive()) {
      return { kind: 'dies', cause: 'Backstop', error };
    }
    this.release(error, true);
    const seconds = backOffSeconds(this.plan.policy.retry, attempt, thrown, options.randomness);
    return { kind: 'return', error, at: options.clock.now() + seconds * 1000 };
  }

  /** What the job's `retryIf` says; a mistake in it kills no record. */
  private isRetryable(thrown: unknown): boolean {
    const { job, subject } = this.plan;
    if (job.retryIf === undefined || retryLaterSeconds(thrown) !== undefined) {
      return true;
    }
    try {
      const answer: unknown = job.retryIf(thrown, { attempt: this.claim.a });
      return answer !== false;
    } catch (failure) {
      const { run: runId, key } = subject.message.content.envelope;
      const error = this.services.options.errors.describe(failure, job);
      this.services.options.logger.warn('retryIf threw; the record is retried', {
        runId,
        jobType: job.jobType,
        key,
        error,
      });
      return true;
    }
  }

  /** Not waited for: should it fail, the lease keeps the record until it lapses. */
  private release(error: Thrown, counted: boolean): void {
    const { book } = this.plan.subject;
    void book.apply([this.entry({ do: 'release', token: this.token(), error: claimError(error), counted })], false);
  }

  /** A success that came after the answer is still a success, as long as the claim holds. */
  private async settleLate(late: Promise<AttemptResult>): Promise<void> {
    const result = await late;
    if (result.kind === 'failed') {
      return;
    }
    const { subject, entry } = this.settlement(result.kind);
    const [answer] = await subject.book.apply([entry], true);
    if (answer !== undefined && cameAbout(answer)) {
      this.services.answer.acknowledge(subject.message);
    }
  }

  private settlement(outcome: string): Settlement {
    return {
      subject: this.plan.subject,
      entry: this.entry({ do: 'settle', token: this.token(), outcome }),
      retryAt: takeoverAt(this.services),
    };
  }

  private entry(step: Step): Settlement['entry'] {
    return { place: this.plan.subject.message.content.envelope.ordinal, step, assume: { claim: this.claim } };
  }

  /** Whether SQS would move the message away instead of delivering it again. */
  private isLastReceive(): boolean {
    const { maxReceiveCount } = this.services.options.configuration;
    return this.plan.subject.message.receiveCount >= maxReceiveCount;
  }

  private token(): string {
    return this.claim.t ?? '';
  }
}
