import { Logger as Powertools } from '@aws-lambda-powertools/logger';
import type { LogFields, Logger } from '../ports';

/** Structured logs by Powertools for AWS Lambda, at the level that the function's logging configuration sets. */
export class PowertoolsLogger implements Logger {
  private made: Powertools | undefined;

  /** @param make what it writes with; asked for once, at the first line: each handler is given a logger, and few write anything */
  constructor(private readonly make: () => Powertools = () => new Powertools()) {}

  debug(message: string, fields: LogFields = {}): void {
    this.powertools.debug(message, { ...fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.powertools.info(message, { ...fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.powertools.warn(message, { ...fields });
  }

  error(message: string, fields: LogFields = {}): void {
    this.powertools.error(message, { ...fields });
  }

  with(fields: LogFields): Logger {
    const persistentKeys = { ...fields };
    return new PowertoolsLogger(() => this.powertools.createChild({ persistentKeys }));
  }

  private get powertools(): Powertools {
    return (this.made ??= this.make());
  }
}
