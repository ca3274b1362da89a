/** The four parts of every error message of this project. */
export interface ErrorParts {
  /** What is wrong, beginning with the path of the option, field or item. */
  readonly what: string;
  /** The value that was received, as the user would recognise it. */
  readonly received: string;
  /** What is allowed instead. */
  readonly allowed: string;
  /** The change that mends it. */
  readonly change: string;
  /** The error underneath, kept for stack traces. */
  readonly cause?: unknown;
}

/** An error that a user can act on: a stable `code` and a message of four parts. */
export class CronFanoutError extends Error {
  /** Stable identifier in PascalCase; part of the public contract. */
  readonly code: string;

  constructor(code: string, parts: ErrorParts) {
    super(
      `${parts.what}: received ${parts.received}; allowed: ${parts.allowed}; ${parts.change} [${code}]`,
      parts.cause === undefined ? undefined : { cause: parts.cause },
    );
    this.name = 'CronFanoutError';
    this.code = code;
  }
}

/** Code of an error that says nothing of what was asked: a service could not be reached, and a later try may be answered. */
export const SERVICE_UNREACHABLE = 'ServiceUnreachable';
