import { appendFileSync, existsSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Environment variable of a function process that names the directory of plan and journal. */
export const DIRECTORY_VARIABLE = 'KILL_TEST_DIRECTORY';

/** Where a function process is killed. */
export interface KillPoint {
  readonly function: 'scanner' | 'consumer';
  /** Pattern of the event, as {@link JournalEntry} and the requests of the process spell it. */
  readonly event: string;
  /** Which occurrence in one process, from 1. */
  readonly nth: number;
  /** A request is sent and has no effect yet, or has had its effect and the reply is not seen yet. What happens within the process is `after`. */
  readonly when: 'before' | 'after';
  /** Processes that are killed there, one after another. */
  readonly times: number;
}

/** A point with the name of its plan. */
export interface KillPlan extends KillPoint {
  readonly id: string;
}

/** What a function process writes down, in the order in which it happened in all of them. */
export type JournalEntry = { readonly pid: number } & (
  | { readonly type: 'begun'; readonly function: KillPoint['function'] }
  | { readonly type: 'killed'; readonly plan: string; readonly event: string }
  /** A handler began or ended. */
  | {
      readonly type: 'start' | 'succeeded' | 'failed';
      readonly runId: string;
      readonly key: string;
      readonly page: number;
      readonly ordinal: number;
      readonly attempt: number;
    }
  /** The ledger has answered that it stored an outcome. */
  | { readonly type: 'settled'; readonly page: string; readonly ordinals: readonly number[] }
);

/** The directory that a test and its function processes share. A line that was written is not lost with its process. */
export class KillDirectory {
  constructor(readonly path: string) {}

  /** Arms a plan. */
  arm(plan: KillPlan): void {
    writeFileSync(this.file('plan.new'), JSON.stringify(plan));
    renameSync(this.file('plan.new'), this.file('plan.json'));
  }

  /** The plan that is armed. */
  plan(): KillPlan | undefined {
    const file = this.file('plan.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KillPlan) : undefined;
  }

  /** Whether it is this process that is to be killed: of several that come to the point at once, one. */
  claim({ id, times }: KillPlan): boolean {
    return Array.from({ length: times }, (_, n) => this.file(`killed-${id}-${n}`)).some(isFirst);
  }

  /** Adds a line to the journal. */
  write(entry: JournalEntry): void {
    appendFileSync(this.file('journal'), `${JSON.stringify(entry)}\n`);
  }

  /** The lines of the journal. */
  journal(): JournalEntry[] {
    const text = existsSync(this.file('journal')) ? readFileSync(this.file('journal'), 'utf8') : '';
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalEntry);
  }

  private file(name: string): string {
    return join(this.path, name);
  }
}

function isFirst(file: string): boolean {
  try {
    openSync(file, 'wx');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
