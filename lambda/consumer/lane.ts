import type { LogFields } from '../ports';
import type { Plan } from './plan';
import type { ReceivedMessage } from './received-message';
import type { RecordPlan } from './record-turn';
import { RecordTurn } from './record-turn';
import type { Answer, Entry } from './record-book';
import { cameAbout } from './record-book';
import type { Thrown } from './thrown';
import type { Subject } from './subject';
import type { LaneServices, Return, Settlement, Verdict } from './verdict';

const NO_TIME: Thrown = { name: 'TimeBudget', message: 'the time of the invocation was over before its turn' };

/**
 * The messages of one lane, in order. A record is claimed only after the one before it is stored as settled, in one write where both lie on one
 * page; the first message that comes back takes everything behind it along.
 */
export class Lane {
  private readonly turn: RecordTurn;
  /** The outcome of the record before; it waits for the next claim. */
  private unstored: Settlement | undefined;
  /** When a message comes back whose outcome could not be stored; what is behind it follows. */
  private comesBackAt: number | undefined;

  constructor(
    private readonly services: LaneServices,
    private readonly plans: readonly Plan[],
  ) {
    this.turn = new RecordTurn(services);
  }

  /**
   * Runs the lane to its end or to the first message that comes back. Never rejects.
   *
   * @returns the storing of the last outcome, which may wait for company
   */
  async run(): Promise<{ readonly stored: Promise<void> }> {
    for (const [index, plan] of this.plans.entries()) {
      const verdict = await this.take(plan, index);
      if (verdict.kind === 'return') {
        const stored = this.storeLater();
        await this.giveBack(index, verdict);
        return { stored };
      }
      if (verdict.kind === 'settle') {
        this.unstored = verdict.settlement;
      } else {
        this.services.answer.acknowledge(messageOf(plan));
      }
    }
    return { stored: this.storeLater() };
  }

  private async take(plan: Plan, index: number): Promise<Verdict> {
    const { budget, options } = this.services;
    const now = options.clock.now();
    if (plan.kind === 'wait') {
      const at = plan.seconds === undefined ? {} : { at: now + plan.seconds * 1000 };
      return { kind: 'return', error: plan.error, ...at };
    }
    const started = index === 0 ? !budget.isOver() : budget.hasRoomFor(jobTypeOf(plan));
    return started
      ? this.turn.take(plan, (subject, entry) => this.open(subject, entry))
      : { kind: 'return', error: NO_TIME, at: now };
  }

  /** Stores the outcome of the record before, and with it the first step on this one. */
  private async open({ book }: Subject, entry: Entry): Promise<Answer> {
    const before = this.unstored;
    this.unstored = undefined;
    if (before === undefined) {
      return first(await book.apply([entry], true));
    }
    if (before.subject.book === book) {
      const [stored, opened] = await book.apply([before.entry, entry], true);
      this.conclude(before, stored);
      return opened ?? { kind: 'skipped' };
    }
    const stored = first(await before.subject.book.apply([before.entry], true));
    this.conclude(before, stored);
    return cameAbout(stored) ? first(await book.apply([entry], true)) : { kind: 'skipped' };
  }

  private async storeLater(): Promise<void> {
    const before = this.unstored;
    this.unstored = undefined;
    if (before !== undefined) {
      this.conclude(before, first(await before.subject.book.apply([before.entry], false)));
    }
  }

  /** Only what is stored as settled is acknowledged. */
  private conclude(settlement: Settlement, answer: Answer | undefined): void {
    const { message } = settlement.subject;
    if (answer !== undefined && cameAbout(answer)) {
      this.services.answer.acknowledge(message);
    } else {
      const { run: runId, job: jobType, key } = message.content.envelope;
      this.services.options.logger.warn('an outcome could not be stored', {
        runId,
        jobType,
        key,
        answer: answer?.kind,
      });
      this.comesBackAt = settlement.retryAt;
      this.services.answer.comeBack(message, settlement.retryAt);
    }
  }

  /** Hands back the messages from `index` on; those that SQS would not deliver again are settled here, with the cause. */
  private async giveBack(index: number, { error, at }: Return): Promise<void> {
    const { answer, options } = this.services;
    const messages = this.plans.slice(index).map(messageOf);
    const level = this.plans[index]?.kind === 'wait' ? 'warn' : 'info';
    options.logger[level]('messages of a lane come back', {
      reason: error,
      messages: messages.map(told),
    });
    for (const plan of this.plans.slice(index)) {
      const message = messageOf(plan);
      answer.comeBack(message, at ?? this.comesBackAt);
      if (message.receiveCount >= options.configuration.maxReceiveCount) {
        await this.settleAtLastReceive(plan, error);
      }
    }
  }

  /** @param error why the message at the head comes back */
  private async settleAtLastReceive(plan: Plan, error: Thrown): Promise<void> {
    const { subject } = plan;
    if (subject === undefined) {
      return;
    }
    const verdict = await (plan.kind === 'wait'
      ? this.turn.dieByBackstop(subject, plan.error)
      : this.turn.settleLast(plan, error));
    if (verdict.kind === 'settle') {
      const { entry } = verdict.settlement;
      this.conclude(verdict.settlement, first(await subject.book.apply([entry], true)));
    } else if (verdict.kind === 'acknowledge') {
      this.services.answer.acknowledge(subject.message);
    }
  }
}

/** The name that the time of a call is known under. */
function jobTypeOf(plan: RecordPlan): string {
  return plan.kind === 'ready' ? plan.job.jobType : plan.subject.message.content.envelope.job;
}

function first(answers: readonly Answer[]): Answer {
  return answers[0] ?? { kind: 'skipped' };
}

/** A message as a log line names it: with its record, where that is known. */
function told({ messageId, receiveCount, content }: ReceivedMessage): LogFields {
  if (content.kind !== 'record') {
    return { messageId, receiveCount };
  }
  const { run: runId, job: jobType, key } = content.envelope;
  return { messageId, receiveCount, runId, jobType, key };
}

function messageOf(plan: Plan): ReceivedMessage {
  return plan.kind === 'wait' ? plan.message : plan.subject.message;
}
