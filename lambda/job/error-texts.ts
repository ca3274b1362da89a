import type { AnyJob } from './job';
import type { JobRegistry } from './registry';
import type { Thrown } from './thrown';
import { describeThrown } from './thrown';

/** Characters of a text that `redact` is given, and of what is kept of its answer. What is cut off the one is beyond the other, so that no half of a secret is left at the end. */
const LONGEST_INPUT = 65_536;
const LONGEST_TEXT = 16_384;
/** Names of errors as classes have them; anything else may be data. */
const PLAIN_NAME = /^[A-Za-z_$][\w$.]{0,63}$/;

/** Causes of causes that an error which leaves the function keeps. */
const DEEPEST_CAUSE = 3;

/** Hides the values of secrets in a text. */
export type SecretMask = (text: string) => string;

/**
 * The one way of an error into a log, the ledger or the dead-letter queue: its name, message and stack, without the values of secrets that were read, and as `redact` of its job leaves them. Where
 * it is not known whose error it is, every job of the fanout redacts it.
 */
export class ErrorTexts {
  constructor(
    private readonly registry: JobRegistry,
    private readonly mask: SecretMask = (text) => text,
  ) {}

  /** A thrown value as it may be stored and logged; never throws. */
  describe(thrown: unknown, job?: AnyJob): Thrown {
    return this.redacted(describeThrown(thrown), job);
  }

  /** {@link describe}, for an error that was made here of texts that are not ours. */
  redacted({ name, message, stack }: Thrown, job?: AnyJob): Thrown {
    try {
      return {
        name: this.clean(name, job),
        message: this.clean(message, job),
        ...(stack === undefined ? {} : { stack: this.clean(stack, job) }),
      };
    } catch (failure) {
      return {
        name: PLAIN_NAME.test(name) ? name : 'Error',
        message: `(not told: ${failure instanceof NoText ? failure.message : 'redact of the job threw'})`,
      };
    }
  }

  /** What a thrown value says, on one line. */
  line(thrown: unknown, job?: AnyJob): string {
    const { name, message } = this.describe(thrown, job);
    // What is thrown and is no error has its type for a name.
    return thrown instanceof Error ? `${name}: ${message}` : message;
  }

  /** A text that user code or a library made, as it may be stored and logged. */
  text(text: string, job?: AnyJob): string {
    return this.redacted({ name: 'Error', message: text }, job).message;
  }

  /** An error that may leave the function: Lambda logs what a handler throws, with every member, and sends it to the failure queue. */
  toThrow(thrown: unknown, depth = 0): Error {
    const { name, message, stack } = this.describe(thrown);
    const { code, cause } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
      code?: unknown;
      cause?: unknown;
    };
    const hasCause = cause instanceof Error && depth < DEEPEST_CAUSE;
    const error = new Error(message, hasCause ? { cause: this.toThrow(cause, depth + 1) } : undefined);
    Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
    if (stack !== undefined) {
      error.stack = stack;
    }
    return typeof code === 'string' && PLAIN_NAME.test(code) ? Object.assign(error, { code }) : error;
  }

  private clean(text: string, job: AnyJob | undefined): string {
    let cleaned = this.mask(text.slice(0, LONGEST_INPUT));
    for (const { redact } of job === undefined ? this.registry.values() : [job]) {
      const answer: unknown = redact === undefined ? cleaned : redact(cleaned);
      if (typeof answer !== 'string') {
        throw new NoText(`redact of the job answered ${answer === null ? 'null' : typeof answer}`);
      }
      cleaned = answer;
    }
    return cleaned.slice(0, LONGEST_TEXT);
  }
}

class NoText extends Error {}
