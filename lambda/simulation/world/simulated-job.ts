import type { JsonValue } from '../../contract';
import { defineJob } from '../../job/define-job';
import { PermanentError, RetryLater } from '../../job/failures';
import type { AnyJob, HandlerContext } from '../../job/job';
import type { Clock } from '../../ports';
import { sleep } from '../../ports';
import { projectedJob } from './projected-job';
import type { SourceTable } from './source-table';
import type { Behaviour, JobSpec, Payload, RecordSpec } from './spec';

/** A text that is too large for a message. */
const LARGE_TEXT = 'x'.repeat(1024 * 1024);
/** Milliseconds. */
const TIMES = { slow: 3_000, linger: 3_600_000, overrun: 33_000, ignore: 2_000_000 } as const;
/** Values that are thrown and are no errors. */
const ODD: readonly unknown[] = [undefined, null, 'a text', 0, { code: 7 }, Object.create(null)];

/** A handler was given a payload that its code does not know. */
export class MisfitPayload extends Error {
  override readonly name = 'MisfitPayload';
}

/** What a simulated job lives on, in one execution environment. */
export interface JobWorld {
  readonly clock: Clock;
  readonly table: SourceTable;
  /** Called with every read of the source, before it. */
  readonly onRead: () => void;
  /** Version of the payload that the code knows. */
  readonly payloadVersion: number;
}

/** The job that a spec describes. */
export function simulatedJob(spec: JobSpec, world: JobWorld): AnyJob {
  const byKey = new Map(spec.records.map((record) => [record.key, record]));
  const job = defineJob<Payload>({
    jobType: spec.jobType,
    schema: {
      '~standard': {
        version: 1,
        vendor: 'simulation',
        validate: (value) =>
          (value as Payload).flaw === 'schema' ? { issues: [{ message: 'refused' }] } : { value: value as Payload },
      },
    },
    async *source({ cursor, segment }) {
      let after = cursor as number | undefined;
      for (;;) {
        world.onRead();
        const chunk = world.table.read(after, spec.chunk, segment);
        const last = chunk.at(-1);
        if (last === undefined) {
          return;
        }
        after = last.place;
        const records = chunk.map(({ record }) => payloadOf(record, world.payloadVersion));
        yield spec.chunk === 1
          ? { record: payloadOf(last.record, world.payloadVersion), cursor: after }
          : { records, cursor: after };
        await Promise.resolve();
      }
    },
    payloadVersion: world.payloadVersion,
    ...(world.payloadVersion > 1 && {
      upgrade: (payload: JsonValue) => ({ ...(payload as Payload), version: world.payloadVersion }),
    }),
    key: (record) => keyOf(record),
    ...(spec.isGrouped ? { group: (record: Payload) => groupOf(record) } : {}),
    stillEligible: ({ id }) => byKey.get(id)?.obsolete !== true,
    handler: ({ id, group, version }, context) => {
      if (version !== world.payloadVersion || (spec.isProjected === true && group !== byKey.get(id)?.group)) {
        throw new MisfitPayload(`a payload of version ${version} for code of version ${world.payloadVersion}`);
      }
      return behave(byKey.get(id)?.behaviours[context.attempt - 1] ?? 'succeed', world.clock, context);
    },
  });
  const made = job as unknown as AnyJob;
  return spec.isProjected === true ? projectedJob(made, byKey) : made;
}

function payloadOf({ key, group, flaw }: RecordSpec, version: number): Payload {
  const payload = { id: key, group, version, ...(flaw === undefined ? {} : { flaw }) };
  if (flaw === 'payload') {
    return { ...payload, count: 10n as unknown as JsonValue };
  }
  return flaw === 'large' ? { ...payload, text: LARGE_TEXT } : payload;
}

function keyOf({ id, flaw }: Payload): string {
  if (flaw === 'key') {
    throw new TypeError('the record has no key');
  }
  return id;
}

function groupOf({ group, flaw }: Payload): string {
  return flaw === 'group' ? (undefined as unknown as string) : group;
}

async function behave(behaviour: Behaviour, clock: Clock, { signal, attempt }: HandlerContext): Promise<void> {
  switch (behaviour) {
    case 'succeed':
      return;
    case 'fail':
      throw new Error('the handler fails');
    case 'failOddly':
      throw ODD[attempt % ODD.length];
    case 'refuse':
      throw new PermanentError('the handler refuses');
    case 'later':
      throw new RetryLater({ after: 30 });
    case 'slow':
      return sleep(clock, TIMES.slow, signal);
    case 'linger':
      await sleep(clock, TIMES.linger, signal);
      throw new Error('the handler was stopped');
    case 'overrun':
      return sleep(clock, TIMES.overrun);
    case 'ignore':
      return sleep(clock, TIMES.ignore);
  }
}
