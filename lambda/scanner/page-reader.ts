import type { RunItem } from '../contract';
import { CronFanoutError, SERVICE_UNREACHABLE } from '../contract';
import type { AnyJob, Segment } from '../job/job';
import { sleep } from '../ports';
import type { ScannerContext } from './context';
import { RunFailure } from './interruptions';
import type { LaneMemory } from './lane-memory';
import type { CheckedChunk, MessageForm, PagePosition } from './page-draft';
import { PageDraft } from './page-draft';
import { checkRecord } from './record-check';
import { SourceReader, cursorOf } from './source-reader';

/** Times that a page is read before its run fails. */
const MAX_READS = 4;
const FIRST_DELAY_MS = 500;
const DELAY_FACTOR = 3;

/** Where the records of a lane come from. */
export interface LaneSource {
  readonly run: RunItem;
  readonly job: AnyJob;
  readonly segment: Segment;
  /** What the job's `setup` returned. */
  readonly dependencies: object;
  /** Fires when the scan must stop. */
  readonly signal: AbortSignal;
}

/** A page that was read; `isStopped` where the signal ended it early. */
export interface ReadPage {
  readonly draft: PageDraft;
  readonly isStopped: boolean;
}

/**
 * Reads a lane page by page from one run of its source. An error of the source starts it again at the page's cursor, a bounded number of times.
 */
export class PageReader {
  private reader: SourceReader | undefined;
  /** A chunk that was read for the page before and did not fit. */
  private heldOver: CheckedChunk | undefined;
  private readonly logger;
  private readonly form: MessageForm;

  constructor(
    private readonly context: ScannerContext,
    private readonly source: LaneSource,
    private readonly memory: LaneMemory,
  ) {
    const { job, run } = source;
    const { lanes, trace } = run;
    this.form = { lanes, job, errors: context.errors, ...(trace !== undefined && { trace }) };
    this.logger = context.logger.with({ runId: source.run.runId, jobType: source.job.jobType });
  }

  /**
   * Reads one page.
   *
   * @throws RunFailure `SourceFailed`, or what {@link SourceReader} finds wrong with the source
   */
  async read(position: PagePosition): Promise<ReadPage> {
    for (let reads = 1; ; reads++) {
      const draft = new PageDraft(position, this.memory, this.form);
      try {
        return { draft, isStopped: await this.fill(draft) };
      } catch (error) {
        await this.close();
        if (error instanceof CronFanoutError && error.code !== SERVICE_UNREACHABLE) {
          throw new RunFailure(error);
        }
        if (reads === MAX_READS) {
          throw new RunFailure(this.sourceFailed(error, reads));
        }
        this.logger.warn('the source failed, its page is read again', {
          page: position.id.page,
          reads,
          error: this.context.errors.describe(error, this.source.job),
        });
        await sleep(this.context.clock, this.delayAfter(reads), this.source.signal);
      }
    }
  }

  private sourceFailed(error: unknown, reads: number): CronFanoutError {
    const { job } = this.source;
    return new CronFanoutError('SourceFailed', {
      what: `source of job ${JSON.stringify(job.jobType)}, which threw ${reads} times at the same page`,
      received: this.context.errors.line(error, job),
      allowed: 'a source that can be read',
      change: 'mend what it reads from; the run keeps its place',
      cause: error,
    });
  }

  /** Ends the source. */
  async close(): Promise<void> {
    this.heldOver = undefined;
    await this.reader?.close(this.context.clock);
    this.reader = undefined;
  }

  /** Answers whether the signal ended the page. */
  private async fill(draft: PageDraft): Promise<boolean> {
    const { pageSize } = this.context.configuration;
    while (!draft.last && !draft.isFull(pageSize)) {
      const chunk = this.heldOver ?? (await this.nextChunk(draft.position));
      this.heldOver = undefined;
      if (chunk === 'stopped') {
        return true;
      }
      if (chunk === 'end') {
        draft.last = true;
      } else if (draft.accepts(chunk)) {
        draft.add(chunk);
      } else {
        this.heldOver = chunk;
        return false;
      }
    }
    return false;
  }

  private async nextChunk(position: PagePosition): Promise<CheckedChunk | 'end' | 'stopped'> {
    this.reader ??= this.open(position.before);
    const reading = await this.reader.next();
    if (reading.kind !== 'chunk') {
      return reading.kind;
    }
    const records: CheckedChunk['records'][number][] = [];
    for (const record of reading.records) {
      records.push(await checkRecord(this.source.job, record, this.context.errors));
    }
    return { records, cursor: reading.cursor, last: reading.last };
  }

  private open(before: string | undefined): SourceReader {
    const { run, job, dependencies, signal } = this.source;
    const context = {
      ...dependencies,
      runId: run.runId,
      tick: { scheduledTime: scheduledTimeOf(run) },
      params: run.params ?? {},
      cursor: cursorOf(before),
      segment: this.source.segment,
      signal,
      log: this.logger,
    };
    const { source } = job as unknown as { source: (context: object) => unknown };
    // What it really returns is for the reader to find out.
    return new SourceReader(job, source.call(job, context), before, signal);
  }

  private delayAfter(reads: number): number {
    return FIRST_DELAY_MS * DELAY_FACTOR ** (reads - 1) * (1 - this.context.randomness.fraction() / 2);
  }
}

function scheduledTimeOf({ tick: { scheduledTime } }: RunItem): string {
  return typeof scheduledTime === 'string' ? scheduledTime : '';
}
