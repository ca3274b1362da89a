import type { JsonValue } from '../contract';
import { JOB_BRAND } from './job';
import type { Job, JobDefinition, ProjectedJobDefinition } from './job';

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
export function defineJob<R, D extends object = object, L = R>(definition: JobDefinition<R, D, L>): Job<R, D, R, L>;
export function defineJob<R, D extends object = object, Q = JsonValue, L = Q>(
  definition: ProjectedJobDefinition<R, D, Q, L>,
): Job<R, D, Q, L>;
export function defineJob<R, D extends object>(definition: object): Job<R, D> {
  return { ...(definition as JobDefinition<R, D>), [JOB_BRAND]: true };
}
