import { JOB_BRAND } from './job';
import type { Job, JobDefinition } from './job';

/**
 * Declares a job. Export it from the job module (`export default defineJob({...})`, or several by name).
 *
 * @example
 * export default defineJob({
 *   jobType: 'booking.reminder',
 *   async *source({ cursor }) {
 *     for await (const booking of dueBookings(cursor)) yield { record: booking, cursor: booking.id };
 *   },
 *   key: (booking) => booking.id,
 *   handler: async (booking) => { await remind(booking); },
 * });
 */
export function defineJob<R, D extends object = object>(definition: JobDefinition<R, D>): Job<R, D> {
  return { ...definition, [JOB_BRAND]: true };
}
