import type { DeadEnvelope, DeadItem, Envelope, JobConfiguration, JsonValue, RunItem } from '../contract';
import { jobConfiguration } from '../contract';
import { isPermanentError } from '../job/failures';
import type { AnyJob } from '../job/job';
import { findJob, namesOf, payloadSchemaOf } from '../job/registry';
import { backOffSeconds } from './back-off';
import type { LedgerBooks } from './ledger-books';
import type { ConsumerOptions } from './options';
import type { ReceivedMessage, RecordMessage } from './received-message';
import { isRecordMessage } from './received-message';
import type { Thrown } from './thrown';
import { describeThrown } from './thrown';
import type { Subject } from './subject';

/** A record that its handler may be called for. */
export interface ReadyPlan {
  readonly kind: 'ready';
  readonly subject: Subject;
  readonly job: AnyJob;
  /** What was queued of the record, checked. */
  readonly payload: JsonValue;
  readonly dependencies: object;
  readonly run: RunItem;
  readonly policy: JobConfiguration;
  readonly maxAttempts: number;
  /** From when on it expires if it was never started, epoch milliseconds; absent: never. */
  readonly expiresAt?: number;
}

/** What is to be done with a message. */
export type Plan =
  | ReadyPlan
  | { readonly kind: 'cancelled'; readonly subject: Subject }
  /** It dies without a call of its handler. */
  | { readonly kind: 'dead'; readonly subject: Subject; readonly cause: string; readonly error: Thrown }
  /** Not now, or not here. */
  | {
      readonly kind: 'wait';
      readonly message: ReceivedMessage;
      /** Present where the place of the record is known and its books can be reached. */
      readonly subject?: Subject;
      readonly error: Thrown;
      /** Seconds until it is received again; absent: the visibility timeout of the queue. */
      readonly seconds?: number;
    };

/** Shortest wait in seconds of a message whose code is not deployed yet: a deployment takes a while. */
const SHORTEST_WAIT_FOR_CODE = 30;

/** Shortest wait in seconds of a message that could not be prepared. */
const SHORTEST_WAIT = 1;

/** Looks at every message of a batch before anything is claimed: what can be known of it without its page. */
export class Planner {
  constructor(
    private readonly options: ConsumerOptions,
    private readonly books: LedgerBooks,
  ) {}

  /** What is to be done with a message; never rejects. */
  async plan(message: ReceivedMessage): Promise<Plan> {
    if (!isRecordMessage(message)) {
      return { kind: 'wait', message, error: { name: 'UnusableMessage', message: message.content.what } };
    }
    try {
      return await this.planRecord(message);
    } catch (thrown) {
      return this.wait(message, this.options.errors.describe(thrown), SHORTEST_WAIT);
    }
  }

  /**
   * What is to be done with a message whose record is settled as `dead`; `undefined`: nothing. Where the record died because no message of it came, the message is the redrive of that death.
   *
   * @throws when the table cannot be reached
   */
  async planLate(message: RecordMessage): Promise<Plan | undefined> {
    const { envelope } = message.content;
    const dead = envelope.deathId === undefined ? await this.books.lostDeath(envelope) : undefined;
    return dead === undefined
      ? undefined
      : this.plan({ ...message, content: { kind: 'record', envelope: withDeath(envelope, dead) } });
  }

  private async planRecord(message: RecordMessage): Promise<Plan> {
    const { envelope } = message.content;
    const book = await this.books.bookOf(envelope);
    const run = await this.books.run(envelope.run);
    if (book === undefined || run === undefined) {
      return this.wait(message, unknownRun(message), SHORTEST_WAIT);
    }
    const subject = { message, book };
    if (run.state === 'cancelled' && envelope.deathId === undefined) {
      return { kind: 'cancelled', subject };
    }
    const job = findJob(this.options.jobs, envelope.job);
    if (job === undefined) {
      return this.unknownJob(subject);
    }
    try {
      return await this.planCall(subject, run, job);
    } catch (thrown) {
      return this.wait(message, this.options.errors.describe(thrown, job), SHORTEST_WAIT, subject);
    }
  }

  private async planCall(subject: Subject, run: RunItem, job: AnyJob): Promise<Plan> {
    const { configuration, errors, setup } = this.options;
    const { envelope } = subject.message.content;
    const { payloadVersion = 1 } = envelope;
    if (payloadVersion > (job.payloadVersion ?? 1)) {
      return this.wait(subject.message, newerPayload(job, payloadVersion), SHORTEST_WAIT_FOR_CODE, subject);
    }
    const checked = await readPayload(job, envelope.payload, payloadVersion);
    if (checked.problem !== undefined) {
      const error = errors.redacted({ name: 'InvalidPayload', message: checked.problem }, job);
      return { kind: 'dead', subject, cause: 'InvalidPayload', error };
    }
    const policy = jobConfiguration(configuration, job.jobType);
    const expires = policy.expiresAfter !== undefined && envelope.deathId === undefined;
    return {
      kind: 'ready',
      subject,
      job,
      run,
      policy,
      payload: checked.payload,
      dependencies: await setup.dependenciesOf(job),
      // A lane that goes on past its failing head has no second attempt to give.
      maxAttempts:
        run.lanes === 'single' && configuration.serialFailure === 'deadLetterAndContinue'
          ? 1
          : policy.retry.maxAttempts,
      ...(expires ? { expiresAt: run.startedAt + (policy.expiresAfter ?? 0) * 1000 } : {}),
    };
  }

  private unknownJob(subject: Subject): Plan {
    const { message } = subject;
    const known = [...this.options.jobs.values()].flatMap(namesOf).join(', ');
    const error = {
      name: 'UnknownJobType',
      message: `jobType ${JSON.stringify(message.content.envelope.job)} is not in the job module; known: ${known}`,
    };
    return message.receiveCount >= this.options.configuration.maxReceiveCount
      ? { kind: 'dead', subject, cause: 'UnknownJobType', error }
      : this.wait(message, error, SHORTEST_WAIT_FOR_CODE, subject);
  }

  /** No attempt is used by waiting; it grows with the receives, so that the last allowed one is far away. */
  private wait(message: ReceivedMessage, error: Thrown, shortest: number, subject?: Subject): Plan {
    const { configuration, randomness } = this.options;
    const planned = backOffSeconds(configuration.defaults.retry, message.receiveCount, undefined, randomness);
    const seconds = Math.max(shortest, planned);
    return { kind: 'wait', message, error, seconds, ...(subject === undefined ? {} : { subject }) };
  }
}

/** The message as the dead-letter queue would give it back. */
function withDeath(envelope: Envelope, { deathId, ...item }: DeadItem): DeadEnvelope {
  const { cause, attempts, errorName, errorMessage, diedAt, firstReceivedAt = diedAt } = item;
  const times = {
    firstReceivedAt: new Date(firstReceivedAt).toISOString(),
    diedAt: new Date(diedAt).toISOString(),
  };
  return { ...envelope, deathId, death: { cause, attempts, errorName, errorMessage, ...times } };
}

function unknownRun({ content: { envelope } }: RecordMessage): Thrown {
  return {
    name: 'UnknownRun',
    message: `the ledger has no run ${JSON.stringify(envelope.run)}, or no dead record for this redrive: its retention is over, or the state table is another one`,
  };
}

function newerPayload({ jobType, payloadVersion = 1 }: AnyJob, version: number): Thrown {
  return {
    name: 'NewerPayload',
    message: `the payload has version ${version}, job ${JSON.stringify(jobType)} knows ${payloadVersion}: its code is not deployed yet, or not any more`,
  };
}

/** The payload that `load` or the handler is given, or what is wrong with it. */
interface CheckedPayload {
  readonly payload: JsonValue;
  readonly problem?: string;
}

/** @throws what `upgrade` throws, unless it says that trying again is futile */
async function readPayload(job: AnyJob, payload: JsonValue, version: number): Promise<CheckedPayload> {
  if (job.upgrade === undefined || version === job.payloadVersion) {
    return validate(job, payload);
  }
  let upgraded: JsonValue;
  try {
    upgraded = await job.upgrade(payload, version);
  } catch (thrown) {
    if (!isPermanentError(thrown)) {
      throw thrown;
    }
    return { payload, problem: `upgrade from version ${version}: ${describeThrown(thrown).message}` };
  }
  return validate(job, upgraded);
}

async function validate(job: AnyJob, payload: JsonValue): Promise<CheckedPayload> {
  const schema = payloadSchemaOf(job);
  if (schema === undefined) {
    return { payload };
  }
  const result = await schema['~standard'].validate(payload);
  if (result.issues === undefined) {
    return { payload: result.value };
  }
  const problem = result.issues
    .map(({ path, message }) => `${(path ?? []).map(segmentName).join('.') || 'payload'}: ${message}`)
    .join('; ');
  return { payload, problem };
}

function segmentName(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
