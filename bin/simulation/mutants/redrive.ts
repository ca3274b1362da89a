import type { Mutant } from './mutant';
import { mutant } from './mutant';

const REDRIVE = 'lambda/ledger/redrive.ts';
const MEMORY = 'lambda/scanner/lane-memory.ts';

/** Redrives: section 4.6 of the protocol, and what 2.4 says of them. */
export const REDRIVE_MUTANTS: readonly Mutant[] = [
  mutant(
    'redrive-not-in-flight',
    '2.4 an unsettled redriven counts as in flight',
    ['redrives'],
    MEMORY,
    'for (const { hash } of await redrivesInFlight(context, redrives)) {',
    'for (const { hash } of await redrivesInFlight(context, redrives.slice(redrives.length))) {',
  ),
  mutant(
    'redrive-not-noted',
    '2.4 an unsettled redriven counts as in flight',
    ['redrives'],
    REDRIVE,
    'await noteRedrive({ store, fanoutId }, envelope, { deathId, diedAt, expiresAt });',
    '',
  ),
  mutant(
    'redriven-without-a-mark',
    '4.6 our tools set redriven before they send',
    ['redrives'],
    REDRIVE,
    "[['state'], 'redriven'],",
    "[['state'], 'dead'],",
  ),
  mutant(
    'redrive-after-its-outcome',
    '4.6 redriving a record runs it once',
    ['redrives'],
    'lambda/consumer/record-shapes.ts',
    "when.any(when.compare('state', '=', 'dead'), when.compare('state', '=', 'redriven')),",
    "when.present('state'),",
  ),
  mutant(
    'next-death-under-the-same-id',
    '4.5 deathId = hash of run, page, ordinal and the previous deathId',
    ['redrives'],
    'lambda/consumer/death.ts',
    'deathId: deathId(pageOf(envelope), envelope.ordinal, envelope.deathId)',
    'deathId: deathId(pageOf(envelope), envelope.ordinal)',
  ),
];
