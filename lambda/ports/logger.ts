/** Fields of a log line. Never a payload, a secret, or anything else that the user's records hold besides their keys. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger;
}
