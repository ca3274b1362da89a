import { CronFanoutError } from '../../../lambda/contract';
import { COMPLETION_MUTANTS } from './completion';
import { LOCK_MUTANTS } from './lock';
import type { Mutant } from './mutant';
import { PAGE_MUTANTS } from './page';
import { RECORD_MUTANTS } from './record';
import { REDRIVE_MUTANTS } from './redrive';

export type { Edit, Mutant } from './mutant';

/** Every mutant; each must be caught. */
export const MUTANTS: readonly Mutant[] = [
  ...LOCK_MUTANTS,
  ...PAGE_MUTANTS,
  ...RECORD_MUTANTS,
  ...REDRIVE_MUTANTS,
  ...COMPLETION_MUTANTS,
];

/**
 * The mutant with this id, or all of them.
 *
 * @throws CronFanoutError `UnknownMutant`
 */
export function mutantsNamed(id: string | undefined): readonly Mutant[] {
  const chosen = MUTANTS.filter((mutant) => id === undefined || mutant.id === id);
  if (chosen.length === 0) {
    throw new CronFanoutError('UnknownMutant', {
      what: 'mutant of the simulation',
      received: JSON.stringify(id),
      allowed: MUTANTS.map((mutant) => mutant.id).join(', '),
      change: 'choose one of these',
    });
  }
  return chosen;
}
