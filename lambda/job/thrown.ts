/** A thrown value as the ledger, the log and the dead-letter queue show it. */
export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/**
 * Describes whatever was thrown. Handlers throw strings, `undefined`, `null`, and objects whose properties throw in turn; each of them is a
 * failure like any other. Nothing but name, message and stack is looked at: clients of databases and of HTTP hang rows and credentials on their errors.
 */
export function describeThrown(thrown: unknown): Thrown {
  try {
    if (typeof thrown === 'object' && thrown !== null) {
      return describeObject(thrown);
    }
    return { name: typeof thrown, message: String(thrown) };
  } catch {
    return { name: 'unknown', message: 'a value that cannot be read was thrown' };
  }
}

function describeObject(thrown: object): Thrown {
  const { name, message, stack } = thrown as { name?: unknown; message?: unknown; stack?: unknown };
  if (typeof message !== 'string') {
    const text: unknown = JSON.stringify(thrown);
    return { name: 'object', message: typeof text === 'string' ? text : 'an object' };
  }
  return {
    name: typeof name === 'string' && name !== '' ? name : 'Error',
    message,
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

/** What a thrown value says, on one line. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'a value that has no text';
  }
}
