import { recordJob } from './record-job';

export const handle = recordJob('handle', 2);
/** A job type that version 1 does not know. */
export const extra = recordJob('extra', 2);
