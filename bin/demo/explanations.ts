import type { Symptom } from './tally';

const RETRY_FINDS_LOCK =
  'the scan ended while it held the lock; its retry found the lock taken and left, and what was not enqueued waits for another tick';
const LOCK_NOT_GIVEN_BACK =
  'the scan failed, and giving the lock back failed too; its retry found the lock taken and left';
const WHOLE_BATCH = 'the invocation ended in mid-batch, so that the whole batch came back, with what was done already';
const UNLISTED = 'the queue left entries out of its answer, in neither list; a loop over Failed does not see them';

/** Why it came about by hand, by kind of fault; each was read off the trace of a seed. */
const REASONS: Readonly<Record<string, Partial<Record<Symptom, string>>>> = {
  crash: { lost: RETRY_FINDS_LOCK, stuck: RETRY_FINDS_LOCK, doubled: WHOLE_BATCH },
  pause: { doubled: WHOLE_BATCH },
  'lost reply': {
    lost: LOCK_NOT_GIVEN_BACK,
    stuck: LOCK_NOT_GIVEN_BACK,
    doubled: 'the answer of the consumer was lost, so that its batch came back; nothing remembers what was done',
  },
  outage: { lost: LOCK_NOT_GIVEN_BACK, stuck: LOCK_NOT_GIVEN_BACK },
  'partial batch': { lost: UNLISTED, stuck: UNLISTED },
  redelivery: { doubled: 'the message came a second time while it was being worked on; nothing says that it is' },
  'slow mails': { doubled: WHOLE_BATCH },
};

/** Why it comes about whatever the fault is. */
const ALWAYS: Readonly<Record<Symptom, string>> = {
  lost: 'it was never enqueued, and no tick was left to find it',
  stuck: 'it was not enqueued by its tick, or its receives were used up by waiting',
  doubled: 'its message came back though it was done',
  'out of order':
    'whatever the fault, the loop goes on behind a mail that failed, with the next one of its organisation',
};

/** Why a symptom came about by hand, in one line. */
export function explanation(kind: string, symptom: Symptom): string {
  return REASONS[kind]?.[symptom] ?? ALWAYS[symptom];
}
