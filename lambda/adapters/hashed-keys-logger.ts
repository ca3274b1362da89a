import { keyHash, unseenKey } from '../ledger/identity';
import type { LogFields, Logger } from '../ports';

/** How deep in a field keys are looked for: lists of records are lists of objects. */
const DEPTH = 4;

/**
 * A logger that writes keys of records as the hash that the ledger has of them, wherever a field is called `key`, in lists of records too. Whoever knows the job type and the key can make the same
 * hash and find its lines. Texts of errors are not its business: they are the job's own.
 */
export class HashedKeysLogger implements Logger {
  /** @param jobType of the records that lines are about, where the fields of `with` name one */
  constructor(
    private readonly inner: Logger,
    private readonly jobType = '',
  ) {}

  debug(message: string, fields?: LogFields): void {
    this.inner.debug(message, this.hashed(fields));
  }

  info(message: string, fields?: LogFields): void {
    this.inner.info(message, this.hashed(fields));
  }

  warn(message: string, fields?: LogFields): void {
    this.inner.warn(message, this.hashed(fields));
  }

  error(message: string, fields?: LogFields): void {
    this.inner.error(message, this.hashed(fields));
  }

  with(fields: LogFields): Logger {
    return new HashedKeysLogger(this.inner.with(this.hashed(fields) ?? {}), jobTypeOf(fields, this.jobType));
  }

  private hashed(fields: LogFields | undefined): LogFields | undefined {
    return fields === undefined ? undefined : (withHashes(fields, this.jobType, DEPTH) as LogFields);
  }
}

function withHashes(value: unknown, outer: string, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((one) => withHashes(one, outer, depth - 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return value;
  }
  const jobType = jobTypeOf(value as LogFields, outer);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      name === 'key' && typeof inner === 'string'
        ? unseenKey(keyHash(jobType, inner))
        : withHashes(inner, jobType, depth - 1),
    ]),
  );
}

function jobTypeOf({ jobType }: LogFields, otherwise: string): string {
  return typeof jobType === 'string' ? jobType : otherwise;
}
