import type { LogFields, Logger } from '../ports';
import type { ErrorTexts } from './error-texts';

/**
 * A logger that tells errors by {@link ErrorTexts}: an error among the fields would otherwise be written with every member that a client of a database or of HTTP hangs on it. It stands between the
 * log and everybody who writes to it, user code included.
 */
export class TellingLogger implements Logger {
  constructor(
    private readonly inner: Logger,
    private readonly errors: ErrorTexts,
  ) {}

  debug(message: string, fields?: LogFields): void {
    this.inner.debug(message, this.told(fields));
  }

  info(message: string, fields?: LogFields): void {
    this.inner.info(message, this.told(fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.inner.warn(message, this.told(fields));
  }

  error(message: string, fields?: LogFields): void {
    this.inner.error(message, this.told(fields));
  }

  with(fields: LogFields): Logger {
    return new TellingLogger(this.inner.with(this.told(fields) ?? {}), this.errors);
  }

  private told(fields: LogFields | undefined): LogFields | undefined {
    if (fields === undefined || !Object.values(fields).some(isError)) {
      return fields;
    }
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, isError(value) ? this.errors.describe(value) : value]),
    );
  }
}

/** By tag too, since user code may come from another realm. */
function isError(value: unknown): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
