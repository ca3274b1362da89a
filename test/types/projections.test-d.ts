/*
 * What the compiler must infer of what is queued and what is loaded, and what it must refuse. Read by `npm run check:types`; nothing here runs.
 */
import { defineJob } from '../../lambda/job';
import type { HandlerContext, Job } from '../../lambda/job';

/** Whether two types are assignable to each other, and the first is not `any`. */
type Same<A, B> = 0 extends 1 & A ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** JSON has neither its times nor its bytes. */
interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly issuedAt: Date;
  readonly scan: Uint8Array;
}

interface Database {
  invoice(id: string): Promise<Invoice | undefined>;
}

declare const invoices: readonly Invoice[];
declare function connect(url: string): Promise<Database>;

async function* invoicesAfter(): AsyncGenerator<{ record: Invoice; cursor: string }> {
  for (const record of invoices) yield { record, cursor: record.id };
}

// The key alone is queued; the handler is given what `load` answers.
export const loaded = defineJob({
  jobType: 'loaded',
  setup: async ({ secret }) => ({ db: await connect(await secret('DB')) }),
  source: ({ cursor }) => (cursor === undefined ? invoicesAfter() : invoicesAfter()),
  key: (invoice) => invoice.id,
  group: (invoice) => [invoice.customer, true satisfies Same<typeof invoice, Invoice>][0] as string,
  queuePayload: (invoice) => invoice.id,
  load: async (id, { db, key, signal }) => {
    true satisfies Same<typeof id, string>;
    signal.throwIfAborted();
    return db.invoice(key);
  },
  stillEligible: (invoice) => [invoice.issuedAt, true satisfies Same<typeof invoice, Invoice>].length > 0,
  handler: (invoice, { db }) => [db, invoice.scan, true satisfies Same<typeof invoice, Invoice>],
});
true satisfies Same<typeof loaded, Job<Invoice, { db: Database }, string, Invoice>>;

// Without `load` the handler is given what was queued.
export const projected = defineJob({
  jobType: 'projected',
  source: invoicesAfter,
  key: (invoice) => invoice.id,
  queuePayload: ({ id, issuedAt }) => ({ id, issuedAt: issuedAt.toISOString() }),
  upgrade: (payload, version) => ({ id: JSON.stringify(payload), issuedAt: String(version) }),
  payloadVersion: 2,
  stillEligible: (payload) => payload.id !== '',
  handler: (payload) => [payload, true satisfies Same<typeof payload, { id: string; issuedAt: string }>],
});

// Nothing but the key: it is in the context.
defineJob({
  jobType: 'nothing',
  source: invoicesAfter,
  key: (invoice) => invoice.id,
  queuePayload: () => null,
  load: (_, { key }) => invoices.find(({ id }) => id === key) ?? null,
  handler: (invoice) => [invoice, true satisfies Same<typeof invoice, Invoice>],
});

// The record is queued, and read anew all the same.
defineJob({
  jobType: 'refreshed',
  async *source() {
    yield { record: { id: 'a' }, cursor: null };
  },
  key: ({ id }) => id,
  load: async ({ id }) => Promise.resolve({ id, fresh: true }),
  handler: (record) => [record, true satisfies Same<typeof record, { id: string; fresh: boolean }>],
});

// A part of the record that differs from it by optional members alone is a projection too.
defineJob({
  jobType: 'optional',
  async *source() {
    yield { record: { id: 'a', at: undefined as Date | undefined } as { id: string; at?: Date }, cursor: null };
  },
  key: ({ id }) => id,
  queuePayload: ({ id }) => ({ id }),
  handler: ({ id }) => id,
});

defineJob({
  jobType: 'no payload',
  source: invoicesAfter,
  key: ({ id }) => id,
  // @ts-expect-error JSON has no Date
  queuePayload: ({ id, issuedAt }) => ({ id, issuedAt }),
  handler: () => undefined,
});

// @ts-expect-error without queuePayload the record itself is queued, and JSON has no Date
defineJob({
  jobType: 'not projected',
  source: invoicesAfter,
  key: ({ id }) => id,
  load: (invoice: Invoice) => invoice,
  handler: () => undefined,
});

defineJob({
  jobType: 'another record',
  source: invoicesAfter,
  key: (invoice: Invoice) => invoice.id,
  queuePayload: ({ id }: Invoice) => ({ id }),
  // @ts-expect-error the handler is given what was queued
  handler: (invoice: Invoice, { attempt }: HandlerContext) => [invoice, attempt],
});

// Explicit type arguments: record, dependencies, payload, what is loaded.
defineJob<Invoice, object, string, Invoice>({
  jobType: 'explicit',
  source: invoicesAfter,
  key: ({ id }) => id,
  queuePayload: ({ id }) => id,
  load: (id) => invoices.find((invoice) => invoice.id === id),
  handler: ({ issuedAt }) => issuedAt,
});
