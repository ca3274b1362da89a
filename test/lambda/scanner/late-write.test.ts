import type { KeysItem, PageItem } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import type { ScannerContext } from '../../../lambda/scanner/context';
import { CONFIGURATION, FANOUT, Fixture, TICK, jobOver, laterTick, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const RESUME = { kind: 'resume', runId: TICK };
const LANE = `${FANOUT}#${TICK}#job#001`;
/** Longer than the tries to read a source that fails. */
const TIMEOUT_MS = 10_000;
const COUNT = 40;
const ids = someRecords(COUNT)
  .map(({ id }) => id)
  .sort();

interface SegmentContext {
  readonly cursor?: number;
  readonly segment: { readonly index: number; readonly count: number };
}

interface Scene {
  readonly fixture: Fixture;
  readonly first: { before: () => unknown };
}

/** A job of two segments; what is done before each record of the first one may be replaced. */
function twoSegments(): Scene {
  const first = { before: (): unknown => undefined };
  const job = jobOver(() => [], {
    async *source({ cursor, segment: { index, count } }: SegmentContext) {
      for (let place = cursor ?? index; place < COUNT; place += count) {
        await (index === 0 ? first.before() : undefined);
        yield { record: { id: `r${place}` }, cursor: place + count };
      }
    },
  });
  const defaults = { ...CONFIGURATION.defaults, segments: 2 };
  const configuration = { pageSize: 4, overlap: 'cancelRunning' as const, defaults };
  return { fixture: new Fixture({ jobs: [job], configuration }), first };
}

/** A table in which keys of the second segment time out once they are written down; `land` lets those calls take effect. */
function lateKeys(
  { memory, clock }: Fixture,
  timeoutMs: number,
): {
  readonly parts: Partial<ScannerContext>;
  readonly land: () => Promise<void>;
} {
  const late: (() => Promise<unknown>)[] = [];
  const store: ScannerContext['store'] = {
    get: (key) => memory.get(key),
    getMany: (keys) => memory.getMany(keys),
    query: (pk, range) => memory.query(pk, range),
    update: (key, change, condition) => memory.update(key, change, condition),
    delete: (key, condition) => memory.delete(key, condition),
    put: (item, condition) => {
      if (item.pk !== LANE || (item as KeysItem).count === 0) {
        return memory.put(item, condition);
      }
      late.push(() => memory.put(item, condition));
      return sleep(clock, timeoutMs).then(() => Promise.reject(new Error('the call timed out')));
    },
  };
  const land = async (): Promise<void> => {
    expect(late).toHaveLength(1);
    await late[0]?.();
  };
  return { parts: { store }, land };
}

/** Keys that are written down in sealed pages of the second segment, and those that its seals say. */
function sealedKeys({ memory }: Fixture): { readonly written: number; readonly sealed: number } {
  const items = memory.items();
  const total = { written: 0, sealed: 0 };
  for (const { pk, sk, count } of items.filter((item) => item.pk === LANE) as KeysItem[]) {
    const page = items.find((item) => item.pk === `${pk}#${sk.slice('KEYS#'.length)}`) as PageItem | undefined;
    if (page?.sealed !== undefined) {
      total.written += count;
      total.sealed += page.sealed;
    }
  }
  return total;
}

/** The run as a second holder finds it, which has the places of its pages reserved before it writes them. */
async function takenOver({ fixture, first }: Scene): Promise<void> {
  first.before = () => sleep(fixture.clock, 1000);
  await expect(fixture.invoke(tick(), lateKeys(fixture, 0).parts)).rejects.toThrow();
}

describe('Scanner, a write that fails in one segment and lands later', () => {
  it('changes no page at rest where another segment fails the run, and no record is lost', async () => {
    const scene = twoSegments();
    const { fixture, first } = scene;
    await takenOver(scene);
    const { parts, land } = lateKeys(fixture, TIMEOUT_MS);
    first.before = () => {
      throw new Error('statement timeout');
    };
    await fixture.invoke(WATCHDOG, parts).catch(() => undefined);
    await fixture.invoke(WATCHDOG).catch(() => undefined);
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    await land();
    first.before = () => undefined;
    expect(await fixture.invoke(RESUME)).toMatchObject({ outcome: 'scanned' });
    expect([...new Set(fixture.queue.keys())].sort()).toEqual(ids);
    const { written, sealed } = sealedKeys(fixture);
    expect(written).toBe(sealed);
  });

  it('changes no page at rest where another segment finds the run cancelled', async () => {
    const scene = twoSegments();
    const { fixture, first } = scene;
    await takenOver(scene);
    const { parts, land } = lateKeys(fixture, TIMEOUT_MS);
    first.before = async () => {
      first.before = () => sleep(fixture.clock, 1000);
      await fixture.start(laterTick);
    };
    await fixture.invoke(WATCHDOG, parts).catch(() => undefined);
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'cancelled', rest: expect.anything() as unknown });
    await land();
    const { written, sealed } = sealedKeys(fixture);
    expect(written).toBe(sealed);
  });
});
