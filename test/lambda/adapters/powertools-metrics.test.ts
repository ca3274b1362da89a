import { Metrics as Powertools } from '@aws-lambda-powertools/metrics';
import { PowertoolsMetrics } from '../../../lambda/adapters/powertools-metrics';
import type { PowertoolsMetricsOptions } from '../../../lambda/adapters/powertools-metrics';

/** One line of the embedded metric format. */
interface EmfLine {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

let written: string[] = [];
let write: jest.SpyInstance;

beforeEach(() => {
  written = [];
  write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  write.mockRestore();
});

const lines = (): EmfLine[] => written.map((text) => JSON.parse(text) as EmfLine);
const create = (more: Partial<PowertoolsMetricsOptions> = {}): PowertoolsMetrics =>
  new PowertoolsMetrics({ fanoutId: 'Shop-Reminders-1a2b3c4d', ...more });

describe('the lines that metrics are published in', () => {
  it('have the form that CloudWatch reads: namespace, one set of dimensions, names with units, values', () => {
    const metrics = create({ labels: { service: 'shop', owner: 'team-a', tier: '1' } });
    metrics.add('Enqueued', 250);
    metrics.add('StartLag', 12);
    metrics.flush();
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: expect.any(Number) as number,
          CloudWatchMetrics: [
            {
              Namespace: 'CronFanout',
              Dimensions: [['fanout', 'service', 'owner', 'tier']],
              Metrics: [
                { Name: 'Enqueued', Unit: 'Count' },
                { Name: 'StartLag', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        fanout: 'Shop-Reminders-1a2b3c4d',
        service: 'shop',
        owner: 'team-a',
        tier: '1',
        level: 'INFO',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        Enqueued: 250,
        StartLag: 12,
      },
    ]);
  });

  it('are one each: text, then the end of the line', () => {
    const metrics = create();
    metrics.add('Enqueued', 1);
    metrics.flush();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{.*\}\n$/);
  });

  it('add counts up, and keep every measurement', () => {
    const metrics = create();
    metrics.add('Enqueued', 2);
    metrics.add('Enqueued', 3);
    metrics.add('StartLag', 7);
    metrics.add('StartLag', 5);
    metrics.add('InFlight', 4);
    metrics.add('InFlight', 6);
    metrics.flush();
    expect(lines()).toMatchObject([{ Enqueued: 5, StartLag: [7, 5], InFlight: [4, 6] }]);
  });

  it('give what is counted by job two sets of dimensions, with and without the job', () => {
    const metrics = create({ labels: { owner: 'team-a' } });
    metrics.add('Dead', 1, 'booking.reminder');
    metrics.add('Dead', 2, 'booking.review');
    metrics.add('HandlerDuration', 30, 'booking.review');
    metrics.add('Expired', 1, 'booking.review');
    metrics.flush();
    const [plain, reminder, review] = lines();
    expect(plain!._aws.CloudWatchMetrics[0]!.Dimensions).toEqual([['fanout', 'owner']]);
    expect(plain).toMatchObject({ Expired: 1 });
    expect(plain).not.toHaveProperty('jobType');
    for (const line of [reminder!, review!]) {
      expect(line._aws.CloudWatchMetrics[0]!.Dimensions).toEqual([
        ['fanout', 'owner'],
        ['fanout', 'owner', 'jobType'],
      ]);
    }
    expect(reminder).toMatchObject({ jobType: 'booking.reminder', Dead: 1 });
    expect(review).toMatchObject({ jobType: 'booking.review', Dead: 2, HandlerDuration: 30 });
  });

  it('hold at most 100 values of a metric, as the format allows, each with its dimensions', () => {
    const metrics = create();
    for (let value = 1; value <= 250; value++) {
      metrics.add('HandlerDuration', value, 'booking.reminder');
    }
    metrics.flush();
    const values = lines().map(({ HandlerDuration }) => [HandlerDuration].flat());
    expect(values.flat()).toEqual(Array.from({ length: 250 }, (_, place) => place + 1));
    expect(Math.max(...values.map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(lines().every(({ jobType }) => jobType === 'booking.reminder')).toBe(true);
  });

  it.each(['WARN', 'ERROR', 'FATAL'])('pass the log filter of Lambda at %s', (logLevel) => {
    const metrics = create({ logLevel });
    metrics.add('Dead', 1, 'booking.reminder');
    metrics.flush();
    expect(lines()).toMatchObject([{ level: logLevel, timestamp: expect.any(String) as string }]);
  });

  it.each([undefined, 'TRACE', 'DEBUG', 'INFO', 'nonsense'])('are INFO at %s', (logLevel) => {
    const metrics = create({ logLevel });
    metrics.add('Enqueued', 1);
    metrics.flush();
    expect(lines()).toMatchObject([{ level: 'INFO' }]);
  });

  it('are less than a kilobyte for a batch of ten and for a page', () => {
    const metrics = create({
      fanoutId: `Shop-${'x'.repeat(58)}`,
      labels: { service: 'bookings', owner: 'team-bookings' },
    });
    for (let record = 0; record < 10; record++) {
      metrics.add('StartLag', 123_456);
      metrics.add('HandlerDuration', 12_345, 'booking.reminder');
      metrics.add('Succeeded', 1, 'booking.reminder');
    }
    metrics.flush();
    expect(written.join('').length).toBeLessThan(1024);
    written = [];
    (['Eligible', 'Enqueued', 'Rejected', 'Skipped', 'Duplicate'] as const).forEach((name) => {
      metrics.add(name, 250);
    });
    metrics.flush();
    expect(written.join('').length).toBeLessThan(1024);
  });

  it('are not written where nothing was added', () => {
    const metrics = create();
    metrics.flush();
    metrics.add('Enqueued', 1);
    metrics.flush();
    metrics.flush();
    expect(lines()).toHaveLength(1);
  });

  it('have the dimensions of the fanout whatever Powertools finds in the environment', () => {
    process.env.POWERTOOLS_SERVICE_NAME = 'other';
    process.env.POWERTOOLS_METRICS_NAMESPACE = 'Other';
    try {
      const metrics = create();
      metrics.add('Enqueued', 1);
      metrics.flush();
    } finally {
      delete process.env.POWERTOOLS_SERVICE_NAME;
      delete process.env.POWERTOOLS_METRICS_NAMESPACE;
    }
    expect(lines()[0]!._aws.CloudWatchMetrics).toMatchObject([{ Namespace: 'CronFanout', Dimensions: [['fanout']] }]);
  });
});

describe('metrics that cannot be written', () => {
  it('are lost without an error, and the next ones are written', () => {
    const powertools = new Powertools({ namespace: 'CronFanout' });
    const failing = jest.spyOn(powertools, 'publishStoredMetrics').mockImplementationOnce(() => {
      throw new Error('stdout is gone');
    });
    const metrics = create({ powertools });
    metrics.add('StartLag', 1);
    metrics.add('Dead', 1, 'booking.reminder');
    expect(() => {
      metrics.flush();
    }).not.toThrow();
    expect(failing).toHaveBeenCalled();
    metrics.add('Enqueued', 1);
    metrics.flush();
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toMatchObject({ Enqueued: 1 });
    expect(lines()[0]).not.toHaveProperty('StartLag');
  });
});
