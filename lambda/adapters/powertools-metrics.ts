import { Metrics as Powertools } from '@aws-lambda-powertools/metrics';
import type { FanoutLabels, MetricDefinition, MetricName } from '../contract';
import { FANOUT_DIMENSION, JOB_DIMENSION, METRIC_NAMESPACE, METRICS } from '../contract';
import type { Metrics } from '../ports';

/** Values of one metric in one line: at 100 Powertools publishes by itself, and forgets the dimensions of what comes after. */
const VALUES_PER_LINE = 99;

/** Levels of Lambda's log filter that hide lines of the level INFO. */
const HIDING_LEVELS: readonly string[] = ['WARN', 'ERROR', 'FATAL'];

/** What the metrics of a function are published with. */
export interface PowertoolsMetricsOptions {
  readonly fanoutId: string;
  readonly labels?: FanoutLabels | undefined;
  /** Level below which Lambda drops log lines: its own variable `AWS_LAMBDA_LOG_LEVEL`. */
  readonly logLevel?: string | undefined;
  /** For tests. */
  readonly powertools?: Powertools;
}

/** Values by name. */
type Values = Map<MetricName, number[]>;

/** Metrics by Powertools for AWS Lambda: CloudWatch reads them out of log lines in its embedded metric format, which needs no permission and no call. */
export class PowertoolsMetrics implements Metrics {
  private readonly powertools: Powertools;
  /** Level that the lines are given: the log filter takes a line without one for INFO, and would drop every metric at WARN. */
  private readonly level: string;
  private readonly plain: Values = new Map();
  private readonly byJob = new Map<string, Values>();

  constructor({ fanoutId, labels = {}, logLevel = '', powertools }: PowertoolsMetricsOptions) {
    this.powertools = powertools ?? new Powertools({ namespace: METRIC_NAMESPACE });
    // Powertools has a dimension `service` of its own making.
    this.powertools.clearDefaultDimensions();
    this.powertools.setDefaultDimensions({ [FANOUT_DIMENSION]: fanoutId, ...labels });
    this.level = HIDING_LEVELS.includes(logLevel) ? logLevel : 'INFO';
  }

  add(metric: MetricName, value: number, jobType?: string): void {
    const { statistic, byJob }: MetricDefinition = METRICS[metric];
    const isByJob = byJob === true && jobType !== undefined;
    const values = isByJob ? this.valuesOf(jobType) : this.plain;
    const known = values.get(metric);
    if (known === undefined) {
      values.set(metric, [value]);
    } else if (statistic === 'Sum') {
      known[0] = (known[0] ?? 0) + value;
    } else {
      known.push(value);
    }
  }

  flush(): void {
    try {
      this.publish(this.plain);
      for (const [jobType, values] of this.byJob) {
        this.publish(values, jobType);
      }
    } catch {
      // A metric that cannot be written is lost: nothing that is done with records may depend on it.
      this.powertools.clearMetrics();
      this.powertools.clearDimensions();
    } finally {
      this.plain.clear();
      this.byJob.clear();
    }
  }

  private valuesOf(jobType: string): Values {
    const values = this.byJob.get(jobType) ?? new Map<MetricName, number[]>();
    this.byJob.set(jobType, values);
    return values;
  }

  private publish(values: Values, jobType?: string): void {
    const longest = Math.max(0, ...[...values.values()].map(({ length }) => length));
    for (let first = 0; first < longest; first += VALUES_PER_LINE) {
      for (const [metric, all] of values) {
        for (const value of all.slice(first, first + VALUES_PER_LINE)) {
          this.powertools.addMetric(metric, METRICS[metric].unit, value);
        }
      }
      this.publishLine(jobType);
    }
  }

  private publishLine(jobType: string | undefined): void {
    if (jobType !== undefined) {
      // Two sets of dimensions: those of every metric, and those with the job beside them.
      this.powertools.addDimensions({});
      this.powertools.addDimensions({ [JOB_DIMENSION]: jobType });
    }
    this.powertools.addMetadata('level', this.level);
    // Without a time Lambda's log filter does not read the level.
    this.powertools.addMetadata('timestamp', new Date().toISOString());
    this.powertools.publishStoredMetrics();
  }
}
