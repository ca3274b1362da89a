import type { Mutant } from './mutant';
import { mutant } from './mutant';

const PAGES = 'lambda/ledger/pages.ts';

/** Completion, the sweep and the books: sections 2.5 and 3 of the protocol. */
export const COMPLETION_MUTANTS: readonly Mutant[] = [
  mutant(
    'completed-with-open-pages',
    '3 completion check: no OPEN row is left',
    ['plain', 'handlers'],
    PAGES,
    'if (!isScanOver(run) || (await hasOpenPage(ledger, runId))) {',
    'if (!isScanOver(run)) {',
  ),
  mutant(
    'closed-before-the-seal',
    '3.4 a page closes only when it is sealed',
    ['plain', 'network'],
    PAGES,
    'return page.sealed !== undefined && (page.settled?.size ?? 0) >= page.sealed;',
    'return (page.settled?.size ?? 0) >= (page.sealed ?? 0);',
  ),
  mutant(
    'closed-before-all-is-settled',
    '3.4 and every ordinal is settled',
    ['plain'],
    PAGES,
    '(page.settled?.size ?? 0) >= page.sealed;',
    '(page.settled?.size ?? 0) >= page.sealed - 1;',
  ),
  mutant(
    'completed-before-the-scan-is-over',
    '3 completion check: RUN is scanned',
    ['plain', 'ticks'],
    PAGES,
    "return state === 'scanned' ||",
    "return state === 'scanned' || state === 'scanning' ||",
  ),
  mutant(
    'totals-by-the-settled-set',
    '3 totals summed over its pages',
    ['handlers'],
    PAGES,
    'totals.succeeded += item.succeeded?.size ?? 0;',
    'totals.succeeded += item.settled?.size ?? 0;',
  ),
  mutant(
    'swept-too-early',
    '3 deadline of a page = seal + queue retention + 12 h',
    ['outage', 'handlers'],
    'lambda/ledger/sweep.ts',
    'sealedAt + queueRetention * 1000 + LAST_RECEIVE_MS;',
    'sealedAt;',
  ),
  mutant(
    'never-swept',
    '3 the sweep then writes the DEAD item',
    ['outage'],
    'lambda/ledger/sweep.ts',
    'if (at === undefined || now <= at) {',
    'if (at === undefined || now > 0) {',
  ),
  mutant(
    'index-shared-by-fanouts',
    '1 items: F and F#* exactly',
    ['neighbours'],
    'lambda/contract/items.ts',
    'openPartition: (fanoutId: string): string => `${fanoutId}#OPEN`,',
    'openPartition: (fanoutId: string): string => `${fanoutId.slice(0, 1)}#OPEN`,',
  ),
];
