import type { MetricName } from '../contract';
import type { Metrics } from '../ports';

/** One value of a metric. */
export interface RecordedValue {
  readonly metric: MetricName;
  readonly value: number;
  readonly jobType?: string;
}

/** Metrics that are kept, to be looked at. */
export class RecordedMetrics implements Metrics {
  /** Everything that was added, in order. */
  readonly values: RecordedValue[] = [];
  /** How many of the values are published. */
  published = 0;

  add(metric: MetricName, value: number, jobType?: string): void {
    this.values.push({ metric, value, ...(jobType !== undefined && { jobType }) });
  }

  flush(): void {
    this.published = this.values.length;
  }

  /** What a count adds up to. */
  sum(metric: MetricName): number {
    return this.of(metric).reduce((total, value) => total + value, 0);
  }

  /** The values of a metric, in order. */
  of(metric: MetricName): number[] {
    return this.values.filter((one) => one.metric === metric).map(({ value }) => value);
  }

  /** What every metric that has a value adds up to. */
  sums(): Partial<Record<MetricName, number>> {
    const names = [...new Set(this.values.map(({ metric }) => metric))];
    return Object.fromEntries(names.map((name) => [name, this.sum(name)]));
  }
}
