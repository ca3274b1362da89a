import type { Mutant } from './mutant';
import { mutant } from './mutant';

const SLOT = 'lambda/consumer/slot.ts';
const SHAPES = 'lambda/consumer/record-shapes.ts';
const LANE = 'lambda/consumer/lane.ts';
const ATTEMPT = 'lambda/consumer/record-attempt.ts';
const DEATH = 'lambda/consumer/death.ts';
const PLAN = 'lambda/consumer/plan.ts';
const GUARD = 'lambda/ledger/claim-guard.ts';

const REPEATED = ['zombies', 'network', 'chaos'];
const FAILING = ['handlers', 'crashes', 'network'];
const LEASES = ['leases'];

/** Section 4 of the protocol: one record. */
export const RECORD_MUTANTS: readonly Mutant[] = [
  mutant(
    'claim-whatever-is-stored',
    '4.1 claim: not settled, absent or lapsed',
    REPEATED,
    SHAPES,
    "        when.present('claims'),\n        when.not(when.contains('settled', ordinal)),\n        claimGuard(['claims', String(ordinal)], slot.claim),",
    "        when.present('claims'),",
  ),
  mutant(
    'live-claim-taken-over',
    '4.1 a claim is taken over when now > leaseUntil + bound',
    REPEATED,
    GUARD,
    'claim?.t !== undefined && now <= until',
    'claim?.t === undefined && now <= until',
  ),
  mutant(
    'lease-without-skew',
    '4.1 + skew bound',
    LEASES,
    GUARD,
    'export const CLOCK_SKEW_BOUND_MS = 5_000;',
    'export const CLOCK_SKEW_BOUND_MS = 0;',
  ),
  mutant(
    'lease-ends-at-the-start',
    "4.1 leaseUntil = this invocation's deadline",
    LEASES,
    ATTEMPT,
    'return Math.ceil(budget.deadline) + CLOCK_SKEW_BOUND_MS;',
    'return Math.ceil(budget.start);',
  ),
  mutant('attempts-not-counted', '4.1 attempts + 1', FAILING, SLOT, 'a: (claim?.a ?? 0) + 1,', 'a: claim?.a ?? 1,'),
  mutant(
    'attempts-forgotten-on-failure',
    '4.7 the claim keeps its attempts',
    FAILING,
    SLOT,
    'claim: { a: step.counted ? a : a - 1, f, e: step.error } };',
    'claim: { a: 0, f, e: step.error } };',
  ),
  mutant(
    'exhausted-called-again',
    'DESIGN 4.6 a crash counts',
    ['crashes', 'leases'],
    SLOT,
    'claim.a >= step.maxAttempts',
    'claim.a > step.maxAttempts',
  ),
  mutant(
    'waiting-counts-as-attempt',
    '4.2 at no attempt',
    LEASES,
    ATTEMPT,
    'this.release(NO_TIME, false);',
    'this.release(NO_TIME, true);',
  ),
  mutant(
    'followers-not-held-back',
    '4.1 followers only after the one before',
    FAILING,
    LANE,
    '        await this.giveBack(index, verdict);\n        return { stored };',
    '        await this.giveBack(index, verdict);\n        await stored;\n        continue;',
  ),
  mutant(
    'acknowledged-before-it-is-stored',
    '4.4 acknowledge only what is stored as settled',
    ['network', 'leases'],
    LANE,
    'if (answer !== undefined && cameAbout(answer)) {',
    'if (answer?.kind !== undefined) {',
  ),
  mutant(
    'success-not-stored',
    '4.4 acknowledge only what is stored as settled',
    ['plain'],
    LANE,
    'this.unstored = verdict.settlement;',
    'this.services.answer.acknowledge(messageOf(plan));',
  ),
  mutant(
    'settled-without-token',
    "4.3 settle needs the claim's token",
    ['leases', 'network'],
    GUARD,
    "return when.compare([...path, 't'], '=', seen.t);",
    'return when.present(...path);',
  ),
  mutant(
    'dying-called-again',
    '4.5 whoever receives a dying record never calls the handler',
    ['crashes', 'network', 'chaos'],
    SLOT,
    "  if (claim?.d !== undefined) {\n    return { kind: 'dying', claim, dying: claim.d };\n  }\n  const until",
    '  const until',
  ),
  mutant(
    'death-not-written-down',
    '4.5 (b) DEAD item',
    FAILING,
    DEATH,
    'await options.store.put({ ...deadItem(options, subject, claim, dying, thrown) }, when.newItem);',
    '',
  ),
  mutant(
    'death-without-dead-letter',
    '4.5 (c) DLQ',
    FAILING,
    DEATH,
    'const answer = await options.deadLetterQueue.sendBatch([',
    'const answer = await (async (entries: readonly { readonly id: string }[]) => ({ accepted: entries.map(({ id }) => id), failed: [] as { code: string; message: string }[] }))([',
  ),
  mutant(
    'refused-dead-letter-taken-as-sent',
    '4.5 (c) before (d)',
    ['network', 'chaos'],
    DEATH,
    "if (!answer.accepted.includes('0')) {",
    "if (answer.accepted.includes('x')) {",
  ),
  mutant(
    'dead-without-dying',
    '4.5 (a) by token the claim becomes dying',
    FAILING,
    SLOT,
    'claim: { a: claim?.a ?? 0, f: claim?.f ?? now, e: step.error, d: step.dying } };',
    "outcome: 'dead' };",
  ),
  mutant(
    'permanent-error-retried',
    'DESIGN 4.6 PermanentError',
    ['handlers'],
    ATTEMPT,
    'if (isPermanentError(thrown)) {',
    'if (isPermanentError(thrown) && attempt < 0) {',
  ),
  mutant(
    'redrive-goes-to-the-page',
    '4.6 the DEAD item is the ledger of its redrive',
    ['redrives'],
    'lambda/consumer/ledger-books.ts',
    'if (envelope.deathId === undefined) {\n      return this.pageBook(envelope);',
    'if (envelope.key !== undefined) {\n      return this.pageBook(envelope);',
  ),
  mutant(
    'redrive-without-an-end',
    '4.6 then its outcome',
    ['redrives'],
    SHAPES,
    "set.push([['state'], write.outcome === 'dead' ? 'deadAgain' : (write.outcome ?? 'redriven')]);",
    "set.push([['state'], 'redriven']);",
  ),
  mutant(
    'cancelled-records-called',
    '4.3 cancelled',
    ['overlap', 'takeovers'],
    PLAN,
    "if (run.state === 'cancelled' && envelope.deathId === undefined) {",
    "if (run.state === 'skipped' && envelope.deathId === undefined) {",
  ),
  mutant(
    'foreign-message-taken',
    'DESIGN 4.9 no cross-talk',
    ['neighbours'],
    'lambda/consumer/received-message.ts',
    'return decoded.envelope.fanout === fanoutId',
    'return decoded.envelope.fanout !== undefined',
  ),
  mutant(
    'unusable-message-acknowledged',
    'DESIGN 4.8 one bad message fails alone',
    ['poison'],
    LANE,
    "    if (plan.kind === 'wait') {\n      const at",
    "    if (plan.kind === 'wait' && plan.subject === undefined) {\n      return { kind: 'acknowledge' };\n    }\n    if (plan.kind === 'wait') {\n      const at",
  ),
  {
    id: 'one-attempt-too-many',
    rule: 'DESIGN 4.6 dead after maxAttempts',
    scenarios: FAILING,
    edits: [
      {
        file: ATTEMPT,
        search: 'if (attempt >= this.plan.maxAttempts) {',
        replace: 'if (attempt > this.plan.maxAttempts) {',
      },
      { file: SLOT, search: 'claim.a >= step.maxAttempts', replace: 'claim.a > step.maxAttempts' },
    ],
  },
  mutant(
    'death-written-down-again',
    '4.5 each step of a death is safe to repeat',
    ['network', 'leases', 'chaos'],
    DEATH,
    '...ITEM_KEYS.dead(fanoutId, dying.at, dying.deathId),',
    '...ITEM_KEYS.dead(fanoutId, dying.at + message.receiveCount, dying.deathId),',
  ),
  mutant(
    'follower-claimed-before-the-head-is-stored',
    '4.1 only after the one before is stored as settled',
    ['network', 'leases'],
    LANE,
    'return cameAbout(stored) ? first',
    'return stored.kind !== undefined ? first',
  ),
];
