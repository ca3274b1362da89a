import { recordJob } from './record-job';

export const handle = recordJob('handle', 1);
