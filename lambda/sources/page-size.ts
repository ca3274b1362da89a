import { CronFanoutError } from '../contract';

/** Records that one read of a source asks for at least and at most; a chunk holds no more. */
export const PAGE_SIZE = { min: 1, max: 1000, default: 250 } as const;

/**
 * The page size of a source, or the default.
 *
 * @throws CronFanoutError `InvalidPageSize`
 */
export function checkedPageSize(pageSize: number = PAGE_SIZE.default): number {
  if (!Number.isInteger(pageSize) || pageSize < PAGE_SIZE.min || pageSize > PAGE_SIZE.max) {
    throw new CronFanoutError('InvalidPageSize', {
      what: 'pageSize of the source',
      received: String(pageSize),
      allowed: `a whole number from ${PAGE_SIZE.min} to ${PAGE_SIZE.max}`,
      change: `leave it out for ${PAGE_SIZE.default}`,
    });
  }
  return pageSize;
}
