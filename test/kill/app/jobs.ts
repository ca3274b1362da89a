import { setTimeout as wait } from 'node:timers/promises';
import { defineJob, PermanentError } from '../../../lambda/job';
import type { NumberedRecord } from './records';
import { failsOnce, isRefused, JOB_TYPE, recordAt, RECORDS } from './records';

/** Milliseconds that a call takes: calls of different groups overlap. */
const CALL_MS = 3;

export default defineJob<NumberedRecord>({
  jobType: JOB_TYPE,
  async *source({ runId, cursor }) {
    for (let place = typeof cursor === 'number' ? cursor : 0; place < RECORDS; place++) {
      yield { record: recordAt(runId, place), cursor: place + 1 };
      await Promise.resolve();
    }
  },
  key: ({ key }) => key,
  group: ({ group }) => group,
  handler: async (record, { attempt }) => {
    await wait(CALL_MS);
    if (isRefused(record)) {
      throw new PermanentError('this record can not be handled');
    }
    if (failsOnce(record) && attempt === 1) {
      throw new Error('not at the first attempt');
    }
  },
});
