import type { Claim, Dying } from '../contract';
import { findJob } from '../job/registry';
import { backOffSeconds } from './back-off';
import { carryOutDeath, dyingOf } from './death';
import type { Plan, ReadyPlan } from './plan';
import { leaseUntil, RecordAttempt } from './record-attempt';
import type { Answer, Entry } from './record-book';
import type { Slot, Step } from './slot';
import type { Thrown } from './thrown';
import { claimError } from './thrown';
import type { Subject } from './subject';
import type { LaneServices, Return, Verdict } from './verdict';

/** Makes the first step on a record, after the outcome of the record before it is stored. */
export type Open = (subject: Subject, entry: Entry) => Promise<Answer>;

/** Plans that touch a record. */
export type RecordPlan = Exclude<Plan, { kind: 'wait' }>;

const HELD: Thrown = { name: 'Claimed', message: 'another invocation holds a claim on the record' };
const ENVIRONMENT_ENDED: Thrown = {
  name: 'EnvironmentEnded',
  message: 'the execution environment ended before the attempt did',
};
const CONTENDED: Thrown = { name: 'Contended', message: 'other invocations changed the record again and again' };

/** One record's turn: from its claim to its outcome. */
export class RecordTurn {
  constructor(private readonly services: LaneServices) {}

  /** Takes a record as far as this invocation can. Never rejects. */
  async take(plan: RecordPlan, open: Open): Promise<Verdict> {
    const token = this.services.options.randomness.token();
    const step = this.firstStep(plan, token);
    const answer = await open(plan.subject, this.entry(plan.subject, step));
    if (answer.kind === 'settled' && answer.outcome === 'dead') {
      return this.followLate(plan.subject, open);
    }
    if (plan.kind === 'ready' && answer.kind === 'started') {
      return this.follow(plan, await open(plan.subject, this.entry(plan.subject, this.claimStep(plan, token))));
    }
    return this.follow(plan, answer);
  }

  /** The record is dead already; its message may be the redrive of that death. */
  private async followLate({ message }: Subject, open: Open): Promise<Verdict> {
    let plan: Plan | undefined;
    try {
      plan = await this.services.planLate(message);
    } catch (error) {
      return this.returnLater({ message }, this.told(error, message));
    }
    if (plan === undefined) {
      return { kind: 'acknowledge' };
    }
    if (plan.kind === 'wait') {
      return { kind: 'return', error: plan.error, at: this.now() + (plan.seconds ?? 0) * 1000 };
    }
    return this.take(plan, open);
  }

  /** Settles a record whose message SQS would not deliver again: as is planned for it, where that takes no call; it dies as `Backstop` otherwise. */
  async settleLast(plan: RecordPlan, error: Thrown): Promise<Verdict> {
    const { subject } = plan;
    if (plan.kind !== 'ready' || this.isOverdue(plan)) {
      const answer = await applyNow(subject, this.entry(subject, this.firstStep(plan, '')));
      // A record that had started does not expire.
      if (answer.kind !== 'started') {
        return this.followDeath(subject, answer, plan.kind === 'dead' ? plan.error : undefined);
      }
    }
    return this.dieByBackstop(subject, error);
  }

  /** Lets a record die that nobody holds, since SQS would not deliver its message again. */
  async dieByBackstop(subject: Subject, error: Thrown): Promise<Verdict> {
    const entry = this.entry(subject, this.deathStep(subject, 'Backstop', error));
    return this.followDeath(subject, await applyNow(subject, entry), error);
  }

  private firstStep(plan: RecordPlan, token: string): Step {
    switch (plan.kind) {
      case 'cancelled':
        return { do: 'settleUnheld', outcome: 'cancelled', ifNeverClaimed: false };
      case 'dead':
        return this.deathStep(plan.subject, plan.cause, plan.error);
      case 'ready':
        return this.isOverdue(plan)
          ? { do: 'settleUnheld', outcome: 'expired', ifNeverClaimed: true }
          : this.claimStep(plan, token);
    }
  }

  /** Whether it expires, unless it was started. */
  private isOverdue({ expiresAt }: ReadyPlan): boolean {
    return expiresAt !== undefined && this.now() >= expiresAt;
  }

  private claimStep(plan: ReadyPlan, token: string): Step {
    return { do: 'claim', token, leaseUntil: leaseUntil(this.services), maxAttempts: plan.maxAttempts };
  }

  private deathStep(subject: Subject, cause: string, error: Thrown, token?: string): Step {
    const dying = dyingOf(subject, cause, this.now());
    return { do: 'die', dying, error: claimError(error), ...(token === undefined ? {} : { token }) };
  }

  private async follow(plan: RecordPlan, answer: Answer): Promise<Verdict> {
    if (plan.kind === 'ready' && answer.kind === 'exhausted') {
      return this.exhausted(plan);
    }
    const claim = answer.kind === 'stored' || answer.kind === 'done' ? answer.claim : undefined;
    if (plan.kind === 'ready' && claim?.t !== undefined) {
      return this.attempt(plan, claim);
    }
    return this.followDeath(plan.subject, answer, plan.kind === 'dead' ? plan.error : undefined);
  }

  /**
   * Lets a record die whose attempts are used up. Whoever made the last one may be late rather than gone, and give it back as not called
   * while we look: the record then has that attempt.
   */
  private async exhausted(plan: ReadyPlan): Promise<Verdict> {
    const { subject, maxAttempts } = plan;
    const dying = dyingOf(subject, 'AttemptsExhausted', this.now());
    const error = claimError(ENVIRONMENT_ENDED);
    const answer = await applyNow(subject, this.entry(subject, { do: 'dieExhausted', maxAttempts, dying, error }));
    if (answer.kind !== 'attemptsLeft') {
      return this.followDeath(subject, answer);
    }
    const step = this.claimStep(plan, this.services.options.randomness.token());
    return this.follow(plan, await applyNow(subject, this.entry(subject, step)));
  }

  private async attempt(plan: ReadyPlan, claim: Claim): Promise<Verdict> {
    const verdict = await new RecordAttempt(this.services, plan, claim).make();
    if (verdict.kind !== 'dies') {
      return verdict;
    }
    const { cause, error } = verdict;
    const entry = this.entry(plan.subject, this.deathStep(plan.subject, cause, error, claim.t), { claim });
    return this.followDeath(plan.subject, await applyNow(plan.subject, entry), error);
  }

  /** Goes on with a record that nobody is to be called for any more. */
  private async followDeath(subject: Subject, answer: Answer, error?: Thrown): Promise<Verdict> {
    switch (answer.kind) {
      case 'stored':
        return answer.claim?.d === undefined
          ? { kind: 'acknowledge' }
          : this.carryOut(subject, answer.claim, answer.claim.d, error);
      case 'settled':
      case 'done':
        return { kind: 'acknowledge' };
      case 'dying':
        // The death that is written down may be another one than ours, with another error.
        return this.carryOut(subject, answer.claim, answer.dying, isKept(answer.claim, error) ? error : undefined);
      case 'held':
        return { kind: 'return', error: HELD, at: answer.until + 1 };
      case 'unavailable':
        // If the step took effect after all, whoever receives the message next finds that out.
        return this.returnLater(subject, this.told(answer.cause ?? CONTENDED, subject.message));
      case 'exhausted':
      case 'attemptsLeft':
      case 'lost':
      case 'missing':
      case 'skipped':
      case 'started':
        return { kind: 'return', error: refused(answer.kind) };
    }
  }

  private async carryOut(subject: Subject, claim: Claim, dying: Dying, thrown?: Thrown): Promise<Verdict> {
    const { options } = this.services;
    const { run: runId, job: jobType, key } = subject.message.content.envelope;
    try {
      await carryOutDeath(options, subject, claim, dying, thrown);
    } catch (error) {
      const described = this.told(error, subject.message);
      options.logger.error('a death could not be carried out yet', { runId, jobType, key, error: described });
      return this.returnLater(subject, described);
    }
    options.logger.error('a record died', { runId, jobType, key, cause: dying.cause, deathId: dying.deathId });
    const entry = this.entry(subject, { do: 'settleDead', deathId: dying.deathId }, { claim });
    return { kind: 'settle', settlement: { subject, entry, retryAt: this.now() } };
  }

  private returnLater({ message }: Pick<Subject, 'message'>, error: Thrown): Return {
    const { configuration, clock, randomness } = this.services.options;
    const seconds = backOffSeconds(configuration.defaults.retry, message.receiveCount, undefined, randomness);
    return { kind: 'return', error, at: clock.now() + seconds * 1000 };
  }

  private told(error: unknown, { content }: Subject['message']): Thrown {
    const { errors, jobs } = this.services.options;
    return errors.describe(error, findJob(jobs, content.envelope.job));
  }

  private entry({ message }: Subject, step: Step, assume?: Slot): Entry {
    // A message that is received for the first time has, as good as always, a record that nobody has touched.
    const slot = assume ?? (message.receiveCount === 1 ? {} : undefined);
    return { place: message.content.envelope.ordinal, step, ...(slot === undefined ? {} : { assume: slot }) };
  }

  private now(): number {
    return this.services.options.clock.now();
  }
}

async function applyNow({ book }: Subject, entry: Entry): Promise<Answer> {
  const [answer] = await book.apply([entry], true);
  return answer ?? { kind: 'skipped' };
}

function isKept(claim: Claim, error: Thrown | undefined): boolean {
  return error !== undefined && claimError(error) === claim.e;
}

function refused(kind: string): Thrown {
  return { name: 'Ledger', message: `the ledger refused a step on the record: ${kind}` };
}
