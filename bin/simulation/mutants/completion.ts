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
  {
    id: 'counted-by-a-bare-add',
    rule: '3 adding an ordinal to a set is idempotent',
    scenarios: ['network', 'crashes', 'leases'],
    edits: [
      {
        file: PAGES,
        search: 'totals.succeeded += item.succeeded?.size ?? 0;',
        replace: 'totals.succeeded += (item as unknown as { successes?: number }).successes ?? 0;',
      },
      {
        file: 'lambda/consumer/record-book.ts',
        search: 'const result = await store.update<T>(shape.key, shape.change(writes)',
        replace: `const successes = outcomes.filter(({ outcome }) => outcome === 'succeeded').length;
    if (successes > 0) {
      await store.update(shape.key, { add: [[['successes'], successes]] });
    }
    const result = await store.update<T>(shape.key, shape.change(writes)`,
      },
    ],
  },
  mutant(
    'row-of-a-completed-run-stays',
    "3 then the run's own OPEN row goes",
    ['plain'],
    PAGES,
    'await store.delete(ITEM_KEYS.openRun(fanoutId, runId));\n  return true;',
    'return true;',
  ),
  mutant(
    'due-work-left-undone',
    '3 every tick and watchdog call repeats what is due',
    ['crashes', 'overlap'],
    'lambda/scanner/due-work.ts',
    'const rows = await store.query<OpenItem>(ITEM_KEYS.openPartition(fanoutId), { limit: ROWS_READ });',
    'const rows = (await store.query<OpenItem>(ITEM_KEYS.openPartition(fanoutId), { limit: ROWS_READ })).slice(ROWS_READ);',
  ),
  mutant(
    'cancelled-run-not-brought-to-rest',
    '2.5 a run that is cancelled is brought to rest',
    ['overlap', 'until-completed'],
    'lambda/scanner/run-scan.ts',
    "await markRested(context, run, lock.fence, await restLanes(context, run, lock.fence, 'cancelled'));",
    'await markRested(context, run, lock.fence, {});',
  ),
  mutant(
    'failed-run-not-brought-to-rest',
    '2.5 a run that fails is brought to rest',
    ['overlap', 'segments', 'changing-source'],
    'lambda/scanner/run-scan.ts',
    "const rest = await restLanes(context, run, lock.fence, 'withdrawn');",
    'const rest: RestingPages = {};',
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
    'swept-without-dead-item',
    '3 the sweep then writes the DEAD item',
    ['outage'],
    'lambda/ledger/sweep.ts',
    'await Promise.all(doomed.map((one) => store.put({ ...deadItem(sweep, one) }, when.newItem)));',
    '',
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
