import type { LogFields, Logger } from '../ports';

/** A logger whose failures change nothing: what happens to a message must not depend on whether a line could be written. */
export class SafeLogger implements Logger {
  constructor(private readonly inner: Logger) {}

  debug(message: string, fields?: LogFields): void {
    this.write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.write('error', message, fields);
  }

  with(fields: LogFields): Logger {
    try {
      return new SafeLogger(this.inner.with(fields));
    } catch {
      return this;
    }
  }

  private write(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: LogFields): void {
    try {
      this.inner[level](message, fields);
    } catch {
      // Nowhere is left to report it to.
    }
  }
}
