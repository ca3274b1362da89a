import type { MetricName } from '../contract';

/** Counts and measurements of a fanout. What happens to records never depends on them: no call throws. */
export interface Metrics {
  /**
   * Adds to a count, or takes a measurement; it is published by the next {@link flush}.
   *
   * @param jobType of what is counted, for the metrics that are published by job
   */
  add(metric: MetricName, value: number, jobType?: string): void;
  /** Publishes what was added since the last call. */
  flush(): void;
}

/** Metrics that nobody reads. */
export const NO_METRICS: Metrics = { add: () => undefined, flush: () => undefined };
