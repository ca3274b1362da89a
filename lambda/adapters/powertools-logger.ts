import { Logger as Powertools } from '@aws-lambda-powertools/logger';
import type { LogFields, Logger } from '../ports';

/** Structured logs by Powertools for AWS Lambda, at the level that the function's logging configuration sets. */
export class PowertoolsLogger implements Logger {
  constructor(private readonly powertools = new Powertools()) {}

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
    return new PowertoolsLogger(this.powertools.createChild({ persistentKeys: { ...fields } }));
  }
}
