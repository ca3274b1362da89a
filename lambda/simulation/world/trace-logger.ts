import type { Clock, LogFields, Logger } from '../../ports';
import type { Trace } from './trace';

/** A log whose warnings and errors are lines of the trace. */
export class TraceLogger implements Logger {
  constructor(
    private readonly trace: Trace,
    private readonly clock: Clock,
    private readonly who: string,
  ) {}

  debug(): void {
    // The trace holds every step already.
  }

  info(): void {
    // The trace holds every step already.
  }

  warn(message: string, fields: LogFields = {}): void {
    this.write('warns', message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.write('reports', message, fields);
  }

  with(): Logger {
    return this;
  }

  private write(verb: string, message: string, { error, key }: LogFields): void {
    const details = [
      key,
      error instanceof Error ? error.message : (error as { message?: unknown } | undefined)?.message,
    ]
      .filter((detail) => typeof detail === 'string')
      .join(': ');
    this.trace.add(this.clock.now(), this.who, `${verb}: ${message}${details === '' ? '' : ` (${details})`}`);
  }
}
