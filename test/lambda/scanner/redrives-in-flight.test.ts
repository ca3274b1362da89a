import type { Envelope, ItemKey } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { keyHash, noteRedrive } from '../../../lambda/ledger';
import { Fixture, someRecords, tick } from './fixture';

const DAY_MS = 86_400_000;

/** A fixture with a death of a day ago in the given state, noted as redriven. */
async function redriven(
  state: string,
  parts: ConstructorParameters<typeof Fixture>[0] = {},
): Promise<{ fixture: Fixture; row: ItemKey }> {
  const fixture = new Fixture({ records: someRecords(2), ...parts });
  const diedAt = fixture.clock.now() - DAY_MS;
  const death = { deathId: 'd0', jobType: 'job', state, hash: keyHash('job', 'r0') };
  await fixture.memory.put({ ...ITEM_KEYS.dead('F', diedAt, 'd0'), ...death });
  const envelope = { run: 'yesterday', job: 'job' } as Envelope;
  const note = { deathId: 'd0', diedAt, expiresAt: 2_000_000_000 };
  await noteRedrive({ store: fixture.memory, fanoutId: 'F' }, envelope, note);
  return { fixture, row: ITEM_KEYS.openRedrive('F', 'd0') };
}

describe('PROTOCOL 2.4: an unsettled redrive counts as in flight', () => {
  it('skips its record however long ago the quarantine was over', async () => {
    const { fixture, row } = await redriven('redriven');
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 1, skipped: 1 });
    expect(fixture.queue.keys()).toEqual(['r1']);
    expect(await fixture.memory.get(row)).toBeDefined();
  });

  it('skips it also where there is no quarantine', async () => {
    const { fixture } = await redriven('redriven');
    const defaults = { ...fixture.context.configuration.defaults, quarantine: 0 };
    const configuration = { ...fixture.context.configuration, defaults };
    expect((await fixture.invoke(tick(), { configuration })).counts).toMatchObject({ enqueued: 1, skipped: 1 });
  });

  it('enqueues it under perRun', async () => {
    const { fixture } = await redriven('redriven', { deduplication: 'perRun' });
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 2, skipped: 0 });
  });

  it.each(['succeeded', 'obsolete', 'deadAgain', 'purged'])('enqueues it once its redrive is %s', async (state) => {
    const { fixture, row } = await redriven(state);
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 2, skipped: 0 });
    expect(await fixture.memory.get(row)).toBeUndefined();
  });

  it('leaves the row alone of a death that is noted and not marked yet', async () => {
    const { fixture, row } = await redriven('dead');
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 2, skipped: 0 });
    expect(await fixture.memory.get(row)).toBeDefined();
  });

  it('is no run: the watchdog takes nothing over for it, and drops it once it is void', async () => {
    const { fixture, row } = await redriven('succeeded');
    expect(await fixture.invoke({ kind: 'watchdog' })).toMatchObject({ outcome: 'idle' });
    expect(await fixture.memory.get(row)).toBeUndefined();
  });
});
