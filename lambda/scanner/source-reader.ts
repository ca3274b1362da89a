import type { JsonValue } from '../contract';
import { CronFanoutError } from '../contract';
import type { AnyJob } from '../job/job';
import type { Clock } from '../ports';
import { sleep } from '../ports';
import { shapeOf } from '../sources/cursor';
import { jsonProblem } from './json-check';

/** Records of one item of a source. */
export const CHUNK_RECORDS = 1000;
/** UTF-8 bytes of a cursor; it is stored twice in an item of the table. */
const CURSOR_BYTES = 65_536;
/** How long the source may take to end when it is told to; nobody waits longer. */
const CLOSE_MS = 1000;

/** What one step of reading gave. */
export type Reading =
  | {
      readonly kind: 'chunk';
      readonly records: readonly unknown[];
      /** Cursor after the records, as JSON text. */
      readonly cursor: string;
      /** Whether the cursor says that nothing follows. */
      readonly last: boolean;
    }
  | { readonly kind: 'end' }
  /** The signal fired. */
  | { readonly kind: 'stopped' };

/**
 * Reads a source item by item, and holds it to its contract.
 *
 * Errors with a code (`InvalidSource`, `InvalidSourceItem`, `InvalidCursor`, `RepeatedCursor`) will not go away by trying again; whatever else is thrown came from the
 * source.
 */
export class SourceReader {
  private readonly iterator: AsyncIterator<unknown>;
  /** Ends the wait for the source. Not a promise to race with: one that lives as long as the scan would remember every item. */
  private interrupt: () => void = () => undefined;
  private readonly onAbort = (): void => {
    this.interrupt();
  };

  /**
   * @param items what the source returned
   * @param cursor JSON text of the cursor that it was started with
   */
  constructor(
    private readonly job: AnyJob,
    items: unknown,
    private cursor: string | undefined,
    private readonly signal: AbortSignal,
  ) {
    this.iterator = iteratorOf(job, items);
    signal.addEventListener('abort', this.onAbort);
  }

  /** The next item; where the signal fires first, `stopped` at once, whatever the source does. */
  async next(): Promise<Reading> {
    if (this.isStopped()) {
      return { kind: 'stopped' };
    }
    try {
      const result = await this.step();
      if (result === 'stopped') {
        return { kind: 'stopped' };
      }
      return result.done === true ? { kind: 'end' } : this.read(result.value);
    } catch (error) {
      if (this.isStopped() && !(error instanceof CronFanoutError)) {
        return { kind: 'stopped' };
      }
      throw error;
    }
  }

  /** Lets the source clean up behind its last `yield`. */
  async close(clock: Clock): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    const patience = new AbortController();
    await Promise.race([this.end(), sleep(clock, CLOSE_MS, patience.signal)]);
    patience.abort();
  }

  private async end(): Promise<void> {
    try {
      await this.iterator.return?.();
    } catch {
      // It was read as far as was wanted; how it ends changes nothing.
    }
  }

  private isStopped(): boolean {
    return this.signal.aborted;
  }

  private step(): Promise<IteratorResult<unknown> | 'stopped'> {
    return new Promise((resolve, reject) => {
      this.interrupt = () => {
        resolve('stopped');
      };
      this.iterator.next().then(resolve, reject);
    });
  }

  private read(item: unknown): Reading {
    const { record, records, cursor } = this.itemOf(item);
    const chunk: unknown = records === undefined ? [record] : records;
    if (!Array.isArray(chunk) || chunk.length > CHUNK_RECORDS) {
      throw this.invalid(
        'InvalidSourceItem',
        'records of an item',
        Array.isArray(chunk) ? `${chunk.length} records` : `a ${typeof chunk}`,
        `an array of at most ${CHUNK_RECORDS} records`,
        'yield smaller chunks, each with its own cursor',
      );
    }
    const text = this.cursorText(cursor);
    if (text === this.cursor && !isEnd(cursor)) {
      throw this.invalid(
        'RepeatedCursor',
        'cursor of an item',
        `the cursor of the item before, ${shapeOf(cursor)}`,
        'a cursor that differs from the one before',
        'yield the cursor that resumes after the item; where records share it, yield them as one chunk or add their key to it',
      );
    }
    this.cursor = text;
    return { kind: 'chunk', records: chunk, cursor: text, last: isEnd(cursor) };
  }

  private itemOf(item: unknown): { record?: unknown; records?: unknown; cursor?: unknown } {
    if (typeof item === 'object' && item !== null && 'record' in item !== 'records' in item) {
      return item;
    }
    throw this.invalid(
      'InvalidSourceItem',
      'item of the source',
      item === null
        ? 'null'
        : typeof item === 'object'
          ? `an object with ${Object.keys(item).join(', ')}`
          : typeof item,
      '{ record, cursor } or { records, cursor }',
      'yield { record, cursor }, where the cursor resumes after the record',
    );
  }

  private cursorText(cursor: unknown): string {
    const problem = jsonProblem(cursor);
    const text = problem === undefined ? JSON.stringify(cursor) : '';
    if (problem !== undefined || Buffer.byteLength(text) > CURSOR_BYTES) {
      throw this.invalid(
        'InvalidCursor',
        'cursor of an item',
        problem === undefined ? `${Buffer.byteLength(text)} bytes` : `${problem.path}: ${problem.problem}`,
        `a JSON value of at most ${CURSOR_BYTES} bytes; null, '' or {} where nothing follows`,
        'yield a cursor with every item',
      );
    }
    return text;
  }

  private invalid(code: string, what: string, received: string, allowed: string, change: string): CronFanoutError {
    return new CronFanoutError(code, {
      what: `${what}, job ${JSON.stringify(this.job.jobType)}`,
      received,
      allowed,
      change,
    });
  }
}

function iteratorOf(job: AnyJob, items: unknown): AsyncIterator<unknown> {
  const candidate = items as Partial<AsyncIterable<unknown>> | null | undefined;
  const open = candidate?.[Symbol.asyncIterator];
  if (typeof open === 'function') {
    return open.call(candidate);
  }
  throw new CronFanoutError('InvalidSource', {
    what: `source of job ${JSON.stringify(job.jobType)}`,
    received: `a function that returns ${items === null ? 'null' : typeof items}`,
    allowed: 'an async generator, or a function that returns an async iterable',
    change: 'write it as `async *source({ cursor }) { yield { record, cursor }; }`',
  });
}

/** Whether a cursor says that nothing follows: `null`, `''` or `{}`. */
function isEnd(cursor: unknown): boolean {
  if (cursor === null || cursor === '') {
    return true;
  }
  return typeof cursor === 'object' && !Array.isArray(cursor) && Object.keys(cursor).length === 0;
}

/** The value of a stored cursor; `undefined` at the beginning. */
export function cursorOf(text: string | undefined): JsonValue | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
}
