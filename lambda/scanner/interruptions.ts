import type { CronFanoutError } from '../contract';

/*
 * Why a scan stops before its end. Any other error is an outage of the table or the queue: it leaves the run as it is, for the next invocation.
 */

/** Another invocation holds the run by now, or may hold it: nothing more may be written or sent. */
export class LockLost extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'LockLost';
  }
}

/** The time of this invocation is nearly over: the rest is for a continuation. */
export class TimeIsShort extends Error {
  constructor() {
    super('the time of this invocation is nearly over');
    this.name = 'TimeIsShort';
  }
}

/** A later tick took the place of the run: it is brought to rest. */
export class RunCancelled extends Error {
  constructor() {
    super('a later tick took the place of the run');
    this.name = 'RunCancelled';
  }
}

/** The run cannot go on: it becomes `failed`, with this cause. */
export class RunFailure extends Error {
  constructor(override readonly cause: CronFanoutError) {
    super(cause.message);
    this.name = 'RunFailure';
  }
}
