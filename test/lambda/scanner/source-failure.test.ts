import { CronFanoutError, SERVICE_UNREACHABLE } from '../../../lambda/contract';
import type { PageItem, RunItem } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import { Fixture, TICK, jobOver, laterTick, queueDyingAt, someRecords, tick } from './fixture';

const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

describe('Scanner, a source that fails', () => {
  /** Fails at a record for as long as `failures` lasts. */
  const failingAt = (place: number, failures: { left: number }, error = new Error('statement timeout')) =>
    jobOver(() => [], {
      async *source({ cursor = 0 }: { cursor?: number }) {
        for (let at = cursor; at < 25; at++) {
          if (at === place && failures.left-- > 0) {
            throw error;
          }
          yield { record: { id: `r${at}` }, cursor: at + 1 };
        }
      },
    });

  it('is started again at the cursor of its page', async () => {
    const fixture = new Fixture({ jobs: [failingAt(13, { left: 3 })] });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', counts: { eligible: 25, enqueued: 25 } });
    expect(fixture.queue.keys()).toEqual(ids(25));
  });

  it('is started again where the service that it reads could not be reached', async () => {
    const unreachable = new CronFanoutError(SERVICE_UNREACHABLE, { what: '', received: '', allowed: '', change: '' });
    const fixture = new Fixture({ jobs: [failingAt(13, { left: 3 }, unreachable)] });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', counts: { enqueued: 25 } });
  });

  it('fails the run after four tries, visibly, with the lock given back and its place kept', async () => {
    const fixture = new Fixture({ jobs: [failingAt(13, { left: 99 })] });
    await expect(fixture.invoke()).rejects.toMatchObject({
      code: 'SourceFailed',
      cause: new Error('statement timeout'),
    });
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    expect((await fixture.runItem())?.cause).toContain('statement timeout');
    expect(fixture.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(await fixture.lock()).toMatchObject({ leaseUntil: 0 });
    expect((await fixture.keysItem(0))?.after).toBe('10');
    // Nothing but a place that no earlier holder can write into any more.
    expect(await fixture.keysItem(1)).toMatchObject({ count: 0, before: '10', after: '10' });
    expect(fixture.clock.nextTimer()).toBeUndefined();
  });

  it('a tick whose run failed is a duplicate when Lambda delivers it again', async () => {
    const failures = { left: 4 };
    const fixture = new Fixture({ jobs: [failingAt(13, failures)] });
    await fixture.invoke().catch(() => undefined);
    expect(await fixture.invoke()).toMatchObject({ outcome: 'duplicate' });
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ eligible: 25, enqueued: 15, skipped: 10 });
  });

  it('B46: fails the run at once where a cursor comes twice', async () => {
    const fixture = new Fixture({
      jobs: [
        jobOver(() => [], {
          async *source() {
            for (;;) {
              yield { record: { id: 'a' }, cursor: 'same' };
            }
          },
        }),
      ],
    });
    await expect(fixture.invoke()).rejects.toMatchObject({ code: 'RepeatedCursor' });
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
  });

  it.each([[null], [''], [{}]])('B46: ends the lane after the item whose cursor is %j', async (cursor) => {
    let reads = 0;
    const fixture = new Fixture({
      jobs: [
        jobOver(() => [], {
          async *source() {
            reads += 1;
            yield { record: { id: 'a' }, cursor: 1 };
            yield { record: { id: 'b' }, cursor };
            yield { record: { id: 'never' }, cursor: 2 };
          },
        }),
      ],
    });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned' });
    expect([fixture.queue.keys(), reads, (await fixture.keysItem(0))?.last]).toEqual([['a', 'b'], 1, true]);
  });

  it('brings an unsealed page to rest when it cannot be read again, and keeps its place', async () => {
    const failures = { left: 0 };
    const fixture = new Fixture({ jobs: [failingAt(3, failures)] });
    await fixture.invoke(tick(), queueDyingAt(fixture, 0)).catch(() => undefined);
    failures.left = 99;
    await expect(fixture.invoke()).rejects.toMatchObject({ code: 'SourceFailed' });
    expect(await fixture.pageItem(0)).toMatchObject({ sealed: 10, closed: true });
    expect(await fixture.keysItem(0)).toMatchObject({ count: 10, rejectedCount: 0 });
    expect((await fixture.keysItem(0))?.after).toBeUndefined();
    failures.left = 0;
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ enqueued: 25, skipped: 0 });
  });

  it('leaves the run to the next invocation where setup fails', async () => {
    let isBroken = true;
    const job = jobOver(() => someRecords(3), {
      setup: () => {
        if (isBroken) {
          throw new Error('no secret');
        }
        return {};
      },
    });
    const fixture = new Fixture({ jobs: [job] });
    await expect(fixture.invoke()).rejects.toThrow('no secret');
    expect(await fixture.runItem()).toMatchObject({ state: 'scanning' });
    isBroken = false;
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned' });
    expect(fixture.queue.keys()).toEqual(ids(3));
  });

  it('reads on over empty chunks, and stores how far they led when time ends', async () => {
    const fixture: Fixture = new Fixture({
      timeout: 60_000,
      jobs: [
        jobOver(() => [], {
          async *source({ cursor = 0 }: { cursor?: number }) {
            for (let at = cursor; at < 70; at++) {
              await sleep(fixture.clock, 1000);
              yield { records: at === 69 ? [{ id: 'r' }] : [], cursor: at + 1 };
            }
          },
        }),
      ],
    });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'continued' });
    expect(Number((await fixture.keysItem(0))?.after)).toBeGreaterThan(40);
    expect(await fixture.invoke(fixture.continuations[0])).toMatchObject({ outcome: 'scanned' });
    expect(fixture.queue.keys()).toEqual(['r']);
  });

  it('keeps a page within 1,000 ordinals whatever the chunks are', async () => {
    const chunk = (from: number, count: number) => ({ records: someRecords(count, from), cursor: from + count });
    const job = jobOver(() => [], {
      async *source() {
        yield chunk(0, 600);
        yield chunk(600, 600);
        yield chunk(1200, 1000);
      },
    });
    const fixture = new Fixture({ jobs: [job], configuration: { pageSize: 1000 } });
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 2200 });
    const pages = fixture.items(`F#${TICK}`).filter(({ sk }) => sk === 'PAGE') as PageItem[];
    expect(pages.map(({ sealed }) => sealed)).toEqual([600, 600, 1000]);
    expect((await fixture.runItem()) satisfies RunItem | undefined).toMatchObject({ pages: { 'job#0': 3 } });
  });
});
