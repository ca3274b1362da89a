/** Which days of a month a cron schedule fires on. Weekdays count as AWS counts them: 1 = SUN to 7 = SAT. */
export type DayRule =
  /** Days of the month, ascending; a day that a month lacks is left out. */
  | { readonly kind: 'daysOfMonth'; readonly days: readonly number[] }
  /** `L` and `L-n`: so many days before the last of the month. */
  | { readonly kind: 'lastOfMonth'; readonly daysBefore: number }
  /** `nW`: the day from Monday to Friday that is nearest to this one, within the month. */
  | { readonly kind: 'workdayNearest'; readonly day: number }
  /** `LW`: the last day from Monday to Friday. */
  | { readonly kind: 'lastWorkday' }
  /** Weekdays, ascending. */
  | { readonly kind: 'daysOfWeek'; readonly weekdays: readonly number[] }
  /** `nL`: the last such weekday of the month. */
  | { readonly kind: 'lastWeekday'; readonly weekday: number }
  /** `n#k`: the k-th such weekday of the month. */
  | { readonly kind: 'nthWeekday'; readonly weekday: number; readonly nth: number };

/** A cron schedule: fires at every minute of local time that all fields match. */
export interface CronSchedule {
  readonly kind: 'cron';
  /** As it was written. */
  readonly expression: string;
  /** IANA name of the zone whose local time the fields mean. */
  readonly timeZone: string;
  /** Ascending, 0 to 59. */
  readonly minutes: readonly number[];
  /** Ascending, 0 to 23. */
  readonly hours: readonly number[];
  readonly days: DayRule;
  /** Ascending, 1 to 12. */
  readonly months: readonly number[];
  /** Ascending, 1970 to 2199. */
  readonly years: readonly number[];
}

/** A rate schedule: fires every so many seconds of real time; a day is always 24 hours. */
export interface RateSchedule {
  readonly kind: 'rate';
  /** As it was written. */
  readonly expression: string;
  /** Of no effect on a rate; kept as given. */
  readonly timeZone: string;
  /** Time between two firings, in seconds. */
  readonly seconds: number;
}

/** A schedule that fires once. */
export interface AtSchedule {
  readonly kind: 'at';
  /** As it was written. */
  readonly expression: string;
  /** IANA name of the zone whose local time the expression means. */
  readonly timeZone: string;
  /** When it fires, in epoch milliseconds. */
  readonly at: number;
}

/** A schedule of EventBridge Scheduler, as data. */
export type Schedule = CronSchedule | RateSchedule | AtSchedule;

/** When a recurring schedule may fire. */
export interface ScheduleBounds {
  /**
   * First moment that it may fire at, in epoch milliseconds. A rate counts from here.
   *
   * @default - no bound; a rate counts from 1970-01-01T00:00:00Z
   */
  readonly start?: number;
  /**
   * Last moment that it may fire at, in epoch milliseconds.
   *
   * @default - no bound
   */
  readonly end?: number;
}

/** First and last year that the service's cron knows. @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
export const CRON_YEARS = { min: 1970, max: 2199 } as const;
