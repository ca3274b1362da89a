import type { JsonValue } from '../../contract';
import type { AnyJob, HandlerContext } from '../../job/job';
import type { Payload, RecordSpec } from './spec';

/** Keys with this end cannot be loaded by their first attempt. */
const SLOW_TO_COME = '7';

/** What is queued of a record: its group is left out, and read again. */
interface Projection {
  readonly projected: Omit<Payload, 'group'> & { readonly id: string };
}

/** The job with a projection in its queue: what it queues is not what its handler can work with, and records that are obsolete are gone when they are loaded. */
export function projectedJob(job: AnyJob, byKey: ReadonlyMap<string, RecordSpec>): AnyJob {
  const { upgrade } = job;
  return {
    ...job,
    queuePayload: (record) => {
      const { group, ...projected } = record as Payload;
      return { projected, length: group.length };
    },
    load: (payload: JsonValue, { attempt }: HandlerContext) => {
      const { projected } = payload as unknown as Projection;
      const stored = byKey.get(projected.id);
      if (attempt === 1 && projected.id.endsWith(SLOW_TO_COME)) {
        throw new Error('the record cannot be loaded');
      }
      return stored === undefined || stored.obsolete === true ? undefined : { ...projected, group: stored.group };
    },
    ...(upgrade !== undefined && {
      upgrade: async (payload: JsonValue, version: number) => {
        const { projected } = payload as unknown as Projection;
        return { projected: await upgrade(projected, version) };
      },
    }),
  };
}
