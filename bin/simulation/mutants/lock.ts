import type { Mutant } from './mutant';
import { mutant } from './mutant';

const LOCK = 'lambda/scanner/lock.ts';
const WRITER = 'lambda/scanner/page-writer.ts';
const FENCE = 'lambda/scanner/page-fence.ts';
const MEMORY = 'lambda/scanner/lane-memory.ts';
const LEDGER = 'lambda/scanner/run-ledger.ts';
const SCANNER = 'lambda/scanner/scanner.ts';

const ZOMBIES = ['takeovers'];
const CRASHES = ['crashes', 'changing-source', 'chaos'];

/**
 * Section 2 of the protocol: lock, takeover, end.
 *
 * Not among them, since other rules make up for what they would break: the fence in the condition of a run's state (who has read every lane to its end may say so, whoever holds the run), and the second look after a
 * place that could not be reserved (who wrote there has lost the lock, and sends nothing).
 */
export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    id: 'lease-not-compared',
    rule: '2.1 acquire: free, lapsed, or handed over',
    scenarios: ['overlap', 'ticks', 'zombies'],
    edits: [
      {
        file: LOCK,
        search: 'return token === undefined || leaseUntil <= now;',
        replace: 'return leaseUntil <= now || true;',
      },
      {
        file: LOCK,
        search: "? when.all(unchanged, when.any(when.absent('token'), when.compare('leaseUntil', '<=', now)))",
        replace: '? unchanged',
      },
    ],
  },
  mutant(
    'fence-does-not-grow',
    '2.1 acquire: fence + 1',
    ZOMBIES,
    LOCK,
    'fence: (stored?.fence ?? 0) + 1,',
    'fence: stored?.fence ?? 1,',
  ),
  mutant(
    'renewal-without-token',
    '2.1 renew by token',
    ZOMBIES,
    LOCK,
    'this.store.update<LockItem>(this.key, { set }, this.isMine());',
    'this.store.update<LockItem>(this.key, { set }, when.storedItem);',
  ),
  mutant(
    'release-without-token',
    '2.1 release by token',
    ZOMBIES,
    LOCK,
    "when.all(this.isMine(), when.absent('waiting')),",
    "when.absent('waiting'),",
  ),
  mutant(
    'lost-reply-taken-as-refused',
    '2.1 a lost reply is settled by a consistent re-read',
    ['network', 'overlap', 'takeovers'],
    LOCK,
    'failure = error;\n      stored = await store.get<LockItem>(key);',
    "failure = error;\n      stored = await store.get<LockItem>(key);\n      if (stored?.token === token) {\n        return { kind: 'refused', holder: stored };\n      }",
  ),
  mutant(
    'not-renewed-by-timer',
    '2.1 renew by page and by timer',
    ['segments', 'ticks', 'changing-source'],
    LOCK,
    'if (this.onStop === undefined) {\n      return;\n    }\n    this.timer',
    'if (this.leaseMs > 0) {\n      return;\n    }\n    this.timer',
  ),
  mutant(
    'sends-without-a-look-at-the-lock',
    '2.1 before each send: lock still mine',
    ZOMBIES,
    WRITER,
    '      lock.assertHeld();\n      if (budget.isOver)',
    '      if (budget.isOver)',
  ),
  mutant(
    'continuation-takes-any-lock',
    '2.1 continuation: the fence equals the stored one',
    ['ticks', 'overlap'],
    LOCK,
    ' && stored.fence !== wanted.fence) {',
    ' && wanted.fence === undefined) {',
  ),
  mutant(
    'refused-tick-not-written',
    '2.2 a refused tick puts its RUN as skipped',
    ['overlap', 'ticks', 'zombies'],
    LEDGER,
    'if (await context.store.put(skipped, when.newItem)) {',
    'if (skipped.fence === 0) {',
  ),
  mutant(
    'waiting-tick-forgotten',
    '2.2 queueOne: into LOCK.waiting',
    ['overlap'],
    LOCK,
    "when.all(this.isMine(), when.absent('waiting')),",
    'this.isMine(),',
  ),
  mutant(
    'refused-tick-overwrites-its-run',
    '2.2 attribute_not_exists',
    ['overlap', 'ticks', 'zombies'],
    LEDGER,
    'context.store.put(skipped, when.newItem)',
    'context.store.put(skipped)',
  ),
  mutant(
    'takeover-leaves-the-fence-of-the-run',
    '2.3 raise RUN.fence',
    ZOMBIES,
    LEDGER,
    "{ set: [[['fence'], fence]], ...(isUnplanned && { add: [[['takeovers'], 1]] }) },",
    "{ add: [[['takeovers'], 1]] },",
  ),
  mutant(
    'takeover-leaves-the-fence-of-the-page',
    "2.3 raise that PAGE's fence",
    ZOMBIES,
    FENCE,
    "store.update<PageItem>(key, { set: [[['fence'], fence]] }, notNewerThan(fence));",
    'store.update<PageItem>(key, {}, notNewerThan(fence));',
  ),
  mutant(
    'takeover-leaves-the-fence-of-the-keys',
    '2.3 unsealed: raise KEYS.fence',
    ZOMBIES,
    FENCE,
    "store.update<KeysItem>(ITEM_KEYS.keys(id), { set: [[['fence'], fence]] }, notNewerThan(fence));",
    'store.update<KeysItem>(ITEM_KEYS.keys(id), {}, notNewerThan(fence));',
  ),
  {
    id: 'takeover-does-not-hold-the-next-place',
    rule: '2.3 sealed: put an empty KEYS for the next page',
    scenarios: ZOMBIES,
    edits: [
      {
        file: FENCE,
        search: 'return context.store.put(empty, when.newItem);',
        replace: 'return Promise.resolve(empty.count === 0);',
      },
      {
        file: FENCE,
        search: 'position: { id, before, isReserved: true } };',
        replace: 'position: { id, before, isReserved: false } };',
      },
    ],
  },
  mutant(
    'page-put-over',
    '1 PAGE is created with attribute_not_exists, never put over',
    ZOMBIES,
    FENCE,
    'if (await store.put(fresh, when.newItem)) {',
    'if (await store.put(fresh)) {',
  ),
  mutant(
    'run-put-over',
    'DESIGN 4.5 a tick is idempotent',
    ['ticks', 'zombies'],
    LEDGER,
    'if (await context.store.put(run, when.newItem)) {',
    'if (await context.store.put(run)) {',
  ),
  mutant(
    'state-of-a-run-not-compared',
    '2.5 RUN becomes scanned: one setter, conditional',
    ['overlap', 'takeovers', 'segments'],
    'lambda/ledger/run-state.ts',
    'condition === undefined ? isFrom : when.all(isFrom, condition),',
    'condition ?? when.storedItem,',
  ),
  mutant(
    'takeover-reads-from-the-cursor-after',
    '2.3 re-read from its cursor before',
    ZOMBIES,
    FENCE,
    'before: keys.before, known:',
    'before: keys.after, known:',
  ),
  mutant(
    'earlier-pages-forgotten',
    '2.4 load all KEYS of this run',
    CRASHES,
    MEMORY,
    'const seen = await loadSeen(context, lane, pages);',
    'const seen = new HashSet();',
  ),
  mutant(
    'in-flight-forgotten',
    '2.4 in flight = in an open page of another run',
    ['zombies', 'ticks', 'handlers'],
    MEMORY,
    "if (deduplication === 'whileInFlight') {",
    'if (Number(deduplication) > 0) {',
  ),
  mutant(
    'quarantine-forgotten',
    '2.4 DEAD rows of the quarantine',
    ['zombies', 'redrives'],
    MEMORY,
    'if (quarantine > 0) {',
    'if (quarantine > 1e9) {',
  ),
  mutant(
    'quarantine-before-the-index',
    '2.4 in this order: what dies in between is in one of the two',
    ['deaths'],
    MEMORY,
    'await addInFlight(context, lane.runId, names, blocked);',
    `await addQuarantined(context, names, { seconds: quarantine, redriven: true }, blocked);
     await addInFlight(context, lane.runId, names, blocked);
     return { seen, blocked };`,
  ),
  mutant(
    'settled-counts-as-in-flight',
    '2.4 and not settled in its PAGE',
    ['zombies', 'ticks', 'handlers'],
    MEMORY,
    'addOrdinals(written, page.settled, blocked)',
    'addOrdinals(written, undefined, blocked)',
  ),
  mutant(
    'watchdog-takes-nothing-over',
    '2.1 takeover by any later invocation',
    ['crashes', 'ticks'],
    SCANNER,
    'const runId = lock?.runId ?? lock?.waiting?.runId ?? unfinished[0];',
    'const runId = lock?.waiting?.runId;',
  ),
];
