const PERMANENT_BRAND = Symbol.for('cron-fanout.PermanentError');
const RETRY_LATER_BRAND = Symbol.for('cron-fanout.RetryLater');

/** Thrown by a handler when trying again is futile: the record goes to the dead-letter queue at once. */
export class PermanentError extends Error {
  readonly [PERMANENT_BRAND] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentError';
  }
}

/** Thrown by a handler to choose the delay of the next attempt itself. It uses an attempt like any failure. */
export class RetryLater extends Error {
  readonly [RETRY_LATER_BRAND] = true;
  /** Seconds until the next attempt: 0 to 43,200, more is cut. */
  readonly afterSeconds: number;

  constructor(options: { readonly after: number; readonly message?: string } & ErrorOptions) {
    super(options.message ?? `retry in ${options.after} s`, options);
    this.name = 'RetryLater';
    this.afterSeconds = options.after;
  }
}

function hasBrand(error: unknown, brand: symbol): boolean {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[brand] === true;
}

/** Whether a thrown value says that trying again is futile, whichever copy of the package made it. */
export function isPermanentError(error: unknown): boolean {
  return hasBrand(error, PERMANENT_BRAND);
}

/** The seconds that a thrown {@link RetryLater} asks for; `undefined` for anything else. */
export function retryLaterSeconds(error: unknown): number | undefined {
  return hasBrand(error, RETRY_LATER_BRAND) ? (error as RetryLater).afterSeconds : undefined;
}
