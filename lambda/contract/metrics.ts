/** Namespace of a fanout's own metrics in CloudWatch. */
export const METRIC_NAMESPACE = 'CronFanout';

/** Dimension of every metric: `fanoutId`. With it come `service`, `owner` and `tier`, where the fanout has them. */
export const FANOUT_DIMENSION = 'fanout';

/** Dimension by which the metrics of {@link MetricDefinition.byJob} are published once more. */
export const JOB_DIMENSION = 'jobType';

/** Who a fanout belongs to, as tags, dimensions and in the text of alarms; each is there only where it was given. */
export interface FanoutLabels {
  readonly service?: string;
  readonly owner?: string;
  readonly tier?: string;
}

/** How a metric is published and read. */
export interface MetricDefinition {
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds';
  /** Statistic that says what is mostly asked: how many, how long, or the highest state. */
  readonly statistic: 'Sum' | 'p90' | 'Maximum';
  /** Whether it is published per job type too: each job type is a further metric on the bill. */
  readonly byJob?: true;
}

const COUNT = { unit: 'Count', statistic: 'Sum' } as const;
const DURATION = { unit: 'Milliseconds', statistic: 'p90' } as const;

/**
 * Every metric. A count is only published where something is counted. Outcomes are counted when they are stored as settled, not when a message is delivered: a repeated delivery counts nothing.
 */
export const METRICS = {
  /** Records that sources yielded, per page that SQS has accepted. */
  Eligible: COUNT,
  /** Of them: written down for the queue, and accepted by SQS. */
  Enqueued: COUNT,
  /** Of them: refused before the queue, each with its cause in log and ledger. */
  Rejected: COUNT,
  /** Of them: not enqueued, because a message of theirs is in flight or they are in quarantine. */
  Skipped: COUNT,
  /** Of them: yielded before in the same run. */
  Duplicate: COUNT,
  /** Records whose handler returned; redriven ones too. */
  Succeeded: { ...COUNT, byJob: true },
  /** Deaths: records that went to the dead-letter queue, or of which no message came. One whose redrive dies again counts again. */
  Dead: { ...COUNT, byJob: true },
  /** Records whose run was cancelled before they started. */
  Cancelled: COUNT,
  /** Records that were older than `expiresAfter` before they started. */
  Expired: COUNT,
  /** Records of which `stillEligible` said no, or which `load` did not find. */
  Obsolete: COUNT,
  /** Records that were written down before a crash, and were no longer eligible when they were read again. */
  Withdrawn: COUNT,
  /** Records that are enqueued and not settled, as a tick or the watchdog finds them: exact up to 100 open pages, estimated from 100 of them above. */
  InFlight: { unit: 'Count', statistic: 'Maximum' },
  /** From the send of a message to the first start of its handler. */
  StartLag: DURATION,
  /** One attempt: `load`, `stillEligible` and the handler. Its sample count is the number of attempts. */
  HandlerDuration: { ...DURATION, byJob: true },
  /** Attempts that failed, those that are tried again included. */
  FailedAttempts: { ...COUNT, byJob: true },
  /** Runs that were begun. */
  RunsStarted: COUNT,
  /** Runs of which every record is settled; a run without records too. */
  RunsCompleted: COUNT,
  /** Runs that ended because their source, or something else that no retry mends, failed. */
  RunsFailed: COUNT,
  /** Runs whose place a later tick took. */
  RunsCancelled: COUNT,
  /** Runs that another invocation had to take over, because the one before ended without handing over. */
  RunsTakenOver: COUNT,
  /** Runs whose books do not balance when all is settled: an error of this package, or of somebody who changed the table. */
  RunsUnbalanced: COUNT,
  /** From the start of a run until SQS had accepted all of it, all continuations together. */
  ScanDuration: DURATION,
  /** From the start of a run until its last record was settled. */
  RunDuration: DURATION,
  /** Age of the oldest run that is not completed, as a tick or the watchdog finds it; 0 where there is none. */
  OldestRunAge: { unit: 'Seconds', statistic: 'Maximum' },
  /** From the scheduled time of a tick to the start of its run. */
  TickDelay: DURATION,
  /** Ticks that were refused because a run was on, or because a newer one waits. */
  TicksSkipped: COUNT,
  /** Ticks that wait for the run that is on. */
  TicksQueued: COUNT,
  /** Invocations of the scanner that found the lock held. */
  LockRefused: COUNT,
} as const satisfies Record<string, MetricDefinition>;

/** Name of a metric. */
export type MetricName = keyof typeof METRICS;

/** The metric that counts an outcome of the ledger; those that the scanner counts with their page have none. */
export const METRIC_OF_OUTCOME: Readonly<Partial<Record<string, MetricName>>> = {
  succeeded: 'Succeeded',
  dead: 'Dead',
  cancelled: 'Cancelled',
  expired: 'Expired',
  obsolete: 'Obsolete',
  withdrawn: 'Withdrawn',
};
