import type { Mutant } from './mutant';
import { mutant } from './mutant';

const WRITER = 'lambda/scanner/page-writer.ts';
const DRAFT = 'lambda/scanner/page-draft.ts';
const SENDER = 'lambda/scanner/batch-sender.ts';

const ZOMBIES = ['takeovers'];
const CRASHES = ['crashes', 'changing-source', 'chaos'];

/** Section 3 of the protocol: one page. */
export const PAGE_MUTANTS: readonly Mutant[] = [
  mutant(
    'send-before-the-page-is-written',
    '3.2 write KEYS, then PAGE, then OPEN, 3.3 send',
    ['plain', 'crashes'],
    WRITER,
    'await putKeys(writing, draft);',
    'await send(writing, draft);\n  await putKeys(writing, draft);',
  ),
  mutant(
    'page-not-in-the-index',
    '3.2 then OPEN',
    ['plain'],
    WRITER,
    'await context.store.put(openRow(context, draft));',
    '',
  ),
  mutant(
    'keys-put-over',
    '2.3 every write to KEYS requires fence <= mine',
    ZOMBIES,
    WRITER,
    'if (await context.store.put(item, isReserved ? notNewerThan(lock.fence) : when.newItem)) {',
    'if (await context.store.put(item)) {',
  ),
  mutant(
    'sealed-before-it-is-sent',
    '3.4 seal after the send',
    ['crashes', 'network'],
    WRITER,
    'const refused = await send(writing, draft);',
    'await seal(writing, draft);\n  const refused = await send(writing, draft);',
  ),
  mutant(
    'seal-without-fence',
    '2.3 every seal requires fence <= mine',
    ZOMBIES,
    WRITER,
    "when.all(when.absent('sealed'), notNewerThan(lock.fence)),",
    'when.storedItem,',
  ),
  mutant(
    'next-page-before-this-one-is-accepted',
    '3.5 next page',
    ['plain'],
    'lambda/scanner/lane-scan.ts',
    '    await finishPage(scan, draft);',
    '    void finishPage(scan, draft).catch(() => undefined);',
  ),
  mutant(
    'unlisted-taken-as-sent',
    '3.3 per-entry failures are retried',
    ['network'],
    SENDER,
    '} else if (failure !== undefined || !accepted.has(String(place))) {',
    '} else if (failure !== undefined) {',
  ),
  mutant(
    'failed-entries-forgotten',
    '3.3 per-entry failures are retried',
    ['network'],
    SENDER,
    '} else if (failure !== undefined || !accepted.has(String(place))) {',
    '} else if (failure === undefined && !accepted.has(String(place))) {',
  ),
  {
    id: 'claimed-records-withdrawn',
    rule: '3 each only if never claimed',
    scenarios: ['takeovers', 'changing-source'],
    edits: [
      {
        file: 'lambda/scanner/settlement.ts',
        search: 'claimed[String(ordinal)] === undefined && settled',
        replace: 'settled',
      },
      { file: 'lambda/scanner/settlement.ts', search: "    when.absent('claims', String(ordinal)),\n", replace: '' },
    ],
  },
  {
    id: 'deduplication-id-with-the-time',
    rule: 'DESIGN 4 dedup id: stable over retries',
    scenarios: ['network'],
    edits: [
      {
        file: SENDER,
        search: '{ queue, logger, errors, traceHeader }: Sending,\n  refused',
        replace: '{ queue, logger, errors, traceHeader, clock }: Sending,\n  refused',
      },
      {
        file: SENDER,
        search: '        deduplicationId,\n        ...(traceHeader',
        replace: '        deduplicationId: deduplicationId + String(clock.now()),\n        ...(traceHeader',
      },
    ],
  },
  mutant(
    'group-sent-all-at-once',
    '3.3 at most one unsettled send per group',
    ['network'],
    'lambda/scanner/send-order.ts',
    'if (queue === undefined) {',
    'if (queue === undefined || this.followers.size > 0) {',
  ),
  mutant(
    'deduplication-id-without-the-run',
    '3 dedup id: a hash of (jobType, run, page, key)',
    ['zombies', 'overlap', 'ticks'],
    'lambda/ledger/identity.ts',
    "digest('message', place.fanoutId, place.jobType, place.runId, place.segment, place.page, key)",
    "digest('message', place.fanoutId, place.jobType, place.segment, place.page, key)",
  ),
  mutant(
    'deduplication-id-without-the-page',
    '3 dedup id: a hash of (jobType, run, page, key)',
    ZOMBIES,
    'lambda/ledger/identity.ts',
    "digest('message', place.fanoutId, place.jobType, place.runId, place.segment, place.page, key)",
    "digest('message', place.fanoutId, place.jobType, place.runId, key)",
  ),
  mutant(
    'known-keys-get-new-ordinals',
    '3 re-read: known keys keep their ordinal',
    CRASHES,
    DRAFT,
    'this.ordinals.set(hashText(hash), ordinal);\n      }',
    '}',
  ),
  mutant(
    'missing-records-stay-open',
    '3 re-read: settled withdrawn',
    ['changing-source', 'chaos'],
    WRITER,
    'if (missing.length > 0) {',
    'if (missing.length > 1e9) {',
  ),
  mutant(
    'withdrawn-after-the-send',
    '3 re-read: withdrawn before anything is sent',
    ['changing-source', 'takeovers'],
    WRITER,
    "if (missing.length > 0) {\n    page = await settle(writing, draft, missing, 'withdrawn');\n  }\n  const refused = await send(writing, draft);",
    "const refused = await send(writing, draft);\n  if (missing.length > 0) {\n    page = await settle(writing, draft, missing, 'withdrawn');\n  }",
  ),
  mutant(
    'withdrawn-keys-remembered',
    '3 a withdrawn key is forgotten',
    ['flicker'],
    'lambda/scanner/lane-memory.ts',
    'addOrdinals(keys, page?.withdrawn, seen)',
    'addOrdinals(keys, page === undefined ? undefined : new Set<number>(), seen)',
  ),
  mutant(
    'withdrawn-key-at-its-old-page',
    '3 if it comes later it is a new record',
    ['flicker'],
    DRAFT,
    '!keyed.some((record) => this.withdrawn.has(record.hashText))',
    'keyed.length < MAX_ORDINALS',
  ),
  mutant(
    'resumed-behind-its-place',
    "2.5 resume starts at that page's cursor before",
    ['flicker'],
    'lambda/scanner/lane-rest.ts',
    "if (known !== undefined && outcome === 'withdrawn') {",
    "if (known !== undefined && outcome !== 'withdrawn') {",
  ),
  mutant(
    'refused-by-sqs-forgotten',
    '3.3 what SQS refuses for good is settled rejected',
    ['poison'],
    WRITER,
    'if (refused.length > 0) {',
    'if (refused.length > 1e9) {',
  ),
  mutant('rejected-not-counted', '3.1 reject what must be', ['poison'], DRAFT, 'this.rejectedCount += 1;', ''),
  mutant('duplicates-not-found', '3.1 find duplicates', ['plain'], DRAFT, 'this.came.has(known)) {', 'false) {'),
  mutant('blocked-records-not-counted', '3.1 skip', ['zombies', 'ticks'], DRAFT, 'this.skippedCount += 1;', ''),
];
