import type { RunItem, RunTotals } from '../../../lambda/contract';
import { isBalanced, reportCompletion } from '../../../lambda/ledger/completion-report';
import { RecordedMetrics } from '../../../lambda/simulation/recorded-metrics';
import { MemoryLogger } from '../consumer/fakes';

const TOTALS: RunTotals = {
  eligible: 21,
  enqueued: 15,
  rejected: 1,
  skipped: 2,
  duplicate: 3,
  succeeded: 4,
  dead: 5,
  cancelled: 1,
  expired: 2,
  obsolete: 2,
  withdrawn: 1,
};
const run = (more: Partial<RunItem>): RunItem =>
  ({ runId: 'r', state: 'completed', startedAt: 1000, completedAt: 4000, totals: TOTALS, ...more }) as RunItem;

function reported(more: Partial<RunItem>): { readonly metrics: RecordedMetrics; readonly logger: MemoryLogger } {
  const [metrics, logger] = [new RecordedMetrics(), new MemoryLogger()];
  reportCompletion({ metrics, logger }, run(more));
  return { metrics, logger };
}

describe('the books of a run', () => {
  it('balance where every record has one outcome', () => {
    expect(isBalanced(TOTALS)).toBe(true);
  });

  it.each(Object.keys(TOTALS) as (keyof RunTotals)[])('do not where %s is off by one', (name) => {
    expect(isBalanced({ ...TOTALS, [name]: TOTALS[name] + 1 })).toBe(false);
  });
});

describe('a run whose last record is settled', () => {
  it('counts as completed, with its duration', () => {
    expect(reported({}).metrics.sums()).toEqual({ RunsCompleted: 1, RunDuration: 3000 });
  });

  it.each(['failed', 'cancelled'] as const)('does not when it is %s', (state) => {
    expect(reported({ state }).metrics.sums()).toEqual({});
  });

  it('is told of in the log with its books, as an error where they do not balance', () => {
    const totals = { ...TOTALS, succeeded: 3 };
    const { metrics, logger } = reported({ totals });
    expect(metrics.sum('RunsUnbalanced')).toBe(1);
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'error', fields: { runId: 'r', totals } }));
    expect(reported({}).logger.lines).toEqual([
      {
        level: 'info',
        message: 'every record of a run is settled',
        fields: { runId: 'r', state: 'completed', totals: TOTALS },
      },
    ]);
  });

  it('needs nobody who listens', () => {
    expect(() => {
      reportCompletion({}, run({ totals: { ...TOTALS, dead: 0 } }));
    }).not.toThrow();
  });
});
