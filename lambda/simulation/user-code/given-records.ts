import type { AnyJob, SourceContext } from '../../job/job';
import { keyHash } from '../../ledger';

/** What a function that gives records is told. */
export type RecordsContext = Pick<SourceContext, 'runId' | 'tick' | 'params'>;

/** Records of a job that a test gives, instead of its source. */
export type GivenRecords = readonly unknown[] | ((context: RecordsContext) => unknown);

/**
 * A source of records that a test gives. A function is asked once for each run, so that the cursors of a run keep their meaning.
 *
 * @param given by `jobType`; a job that is missing has no records
 */
export function givenSource(
  given: ReadonlyMap<string, GivenRecords>,
): (job: AnyJob, context: SourceContext) => AsyncGenerator<unknown, void, undefined> {
  const runs = new Map<string, Promise<readonly unknown[]>>();
  const recordsOf = (jobType: string, { runId, tick, params }: SourceContext): Promise<readonly unknown[]> => {
    const name = `${runId}|${jobType}`;
    const records =
      runs.get(name) ??
      Promise.resolve(given.get(jobType) ?? []).then(async (records) =>
        typeof records === 'function' ? ((await records({ runId, tick, params })) as readonly unknown[]) : records,
      );
    runs.set(name, records);
    return records;
  };
  return async function* (job, context) {
    const { cursor, segment, signal } = context;
    const records = await recordsOf(job.jobType, context);
    const from = typeof cursor === 'number' ? cursor : 0;
    for (let place = from; place < records.length && !signal.aborted; place++) {
      const record = records[place];
      if (segmentOf(job, record, segment.count) === segment.index) {
        yield { record, cursor: place + 1 };
      }
    }
    signal.throwIfAborted();
  };
}

/** A key is always in the same segment. One that is missing will be rejected in whatever segment it is. */
function segmentOf(job: AnyJob, record: unknown, count: number): number {
  if (count === 1) {
    return 0;
  }
  try {
    const key: unknown = job.key(record as never);
    return typeof key === 'string' ? Buffer.from(keyHash(job.jobType, key)).readUInt32BE() % count : 0;
  } catch {
    return 0;
  }
}
