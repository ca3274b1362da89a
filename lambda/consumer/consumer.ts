import type { SqsBatchResponse, SqsEvent } from './sqs-event';
import { TellingLogger } from '../job/telling-logger';
import { sleep } from '../ports';
import { BatchAnswer } from './batch-answer';
import { EnvironmentGuard } from './environment-guard';
import { Lane } from './lane';
import { lanesOf } from './lanes';
import { LedgerBooks } from './ledger-books';
import type { ConsumerOptions, InvocationContext } from './options';
import { Planner } from './plan';
import type { ReceivedMessage, RecordMessage } from './received-message';
import { readMessage } from './received-message';
import { RunCache } from './run-cache';
import { SafeLogger } from './safe-logger';
import { TimeBudget } from './time-budget';

/** Milliseconds before the deadline when the answer is given whatever the visibility calls do. */
const LAST_MOMENT_MS = 50;

/**
 * The consumer: takes batches of the work queue and answers each with exactly the messages that must come back (PROTOCOL.md section 4). It lives
 * as long as its execution environment; everything that concerns one invocation lives in that invocation. What outlives it is what `setup` made, and runs that do not change any more.
 */
export class Consumer {
  private readonly options: ConsumerOptions;
  private readonly guard: EnvironmentGuard;
  private readonly runs: RunCache;

  constructor(options: ConsumerOptions) {
    this.options = { ...options, logger: new SafeLogger(new TellingLogger(options.logger, options.errors)) };
    this.guard = new EnvironmentGuard(this.options);
    this.runs = new RunCache(this.options);
  }

  /** Handles one batch. Rejects for an event that is no SQS event, never for a message. */
  async handle(event: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> {
    try {
      return await this.answerTo(event, context);
    } finally {
      this.options.metrics.flush();
    }
  }

  private async answerTo(event: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> {
    const { clock, fanoutId } = this.options;
    const budget = new TimeBudget(clock, context.getRemainingTimeInMillis());
    const messages = event.Records.map((record) => readMessage(record, fanoutId, budget.start));
    const answer = new BatchAnswer(messages);
    if (this.guard.isSpent()) {
      messages.forEach((message) => {
        answer.comeBack(message, budget.start);
      });
      await this.changeVisibility(answer, budget);
      this.guard.exit();
      return answer.response();
    }
    await this.workUntilAnswer(messages, answer, budget);
    await this.changeVisibility(answer, budget);
    return answer.response();
  }

  /** Works until all is done or the answer is due; what is not stored by then comes back. */
  private async workUntilAnswer(
    messages: readonly ReceivedMessage[],
    answer: BatchAnswer,
    budget: TimeBudget,
  ): Promise<void> {
    const { clock } = this.options;
    const over = new AbortController();
    const work = this.work(messages, answer, budget, over.signal).catch(this.reportInternal);
    await Promise.race([work, sleep(clock, budget.answer - clock.now(), over.signal)]);
    over.abort();
  }

  private async work(
    messages: readonly ReceivedMessage[],
    answer: BatchAnswer,
    budget: TimeBudget,
    signal: AbortSignal,
  ): Promise<void> {
    const { options, guard } = this;
    const books = new LedgerBooks(options, this.runs, signal);
    const planner = new Planner(options, books);
    const lanes = await Promise.all(
      lanesOf(messages, options.configuration.lanes).map((lane) => Promise.all(lane.map((one) => planner.plan(one)))),
    );
    // Started in one go, so that the heads of all lanes are claimed together.
    const services = {
      ...{ options, budget, answer, guard },
      planLate: (message: RecordMessage) => planner.planLate(message),
    };
    const stored: Promise<void>[] = [];
    const runs = lanes.map(async (plans) => {
      stored.push((await new Lane(services, plans).run()).stored);
    });
    await Promise.all(runs.map((run) => run.catch(this.reportInternal)));
    await books.flush();
    await Promise.all(stored);
  }

  /** What nobody acknowledged comes back; a lane that fails in a way that nobody thought of does not take others along. */
  private readonly reportInternal = (error: unknown): void => {
    this.options.logger.error('internal error: messages come back', { error: this.options.errors.describe(error) });
  };

  private async changeVisibility(answer: BatchAnswer, budget: TimeBudget): Promise<void> {
    const { clock, queue, logger } = this.options;
    const changes = answer.visibilityChanges(clock.now(), budget.start);
    if (changes.length === 0) {
      return;
    }
    const ended = new AbortController();
    const change = queue.changeVisibility(changes).then(
      (failed) => {
        if (failed > 0) {
          logger.warn('messages come back by the visibility timeout of the queue', { messages: failed });
        }
      },
      (error: unknown) => {
        logger.warn('messages come back by the visibility timeout of the queue', {
          error: this.options.errors.describe(error),
        });
      },
    );
    await Promise.race([change, sleep(clock, budget.deadline - LAST_MOMENT_MS - clock.now(), ended.signal)]);
    ended.abort();
  }
}
