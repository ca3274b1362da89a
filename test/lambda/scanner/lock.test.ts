import type { LockItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import type { ScannerContext } from '../../../lambda/scanner/context';
import { acquireLock } from '../../../lambda/scanner/lock';
import type { HeldLock } from '../../../lambda/scanner/lock';
import { Fixture, drained, gatedStore } from './fixture';

const KEY = ITEM_KEYS.lock('F');

async function acquired(context: ScannerContext, runId = 'run', fence?: number): Promise<HeldLock> {
  const acquisition = await acquireLock(context, { runId, ...(fence !== undefined && { fence }) });
  if (acquisition.kind === 'refused') {
    throw new Error('the lock is refused');
  }
  return acquisition.lock;
}

/** A store that loses the replies of some updates: the write takes place, the caller sees an error. */
function losingReplies(fixture: Fixture, isLost: (update: number) => boolean): ScannerContext {
  let updates = 0;
  const store = gatedStore(fixture.memory, async (name, call) => {
    const result = await call();
    if (name === 'update' && isLost(updates++)) {
      throw new Error('connection reset');
    }
    return result;
  });
  return { ...fixture.context, store };
}

describe('acquireLock', () => {
  it('takes a lock that was never taken, with fence 1 and a lease', async () => {
    const fixture = new Fixture();
    const lock = await acquired(fixture.context);
    expect([lock.fence, lock.isHeld]).toEqual([1, true]);
    expect(await fixture.lock()).toMatchObject({
      fence: 1,
      runId: 'run',
      leaseUntil: fixture.clock.now() + 60_000,
    });
  });

  it('B47: takes a lock that lapsed a second ago at once, its row still being there', async () => {
    const fixture = new Fixture();
    const stored: LockItem = { ...KEY, token: 'dead', fence: 7, leaseUntil: fixture.clock.now() - 1000 };
    await fixture.memory.put(stored);
    let writes = 0;
    const store = gatedStore(fixture.memory, (name, call) => {
      writes += name === 'update' || name === 'put' ? 1 : 0;
      return call();
    });
    const lock = await acquired({ ...fixture.context, store });
    expect([lock.fence, writes, fixture.clock.nextTimer()]).toEqual([8, 1, undefined]);
  });

  it('B47: leaves a lock alone that lapses in a second, and waits for nothing', async () => {
    const fixture = new Fixture();
    const stored: LockItem = { ...KEY, token: 'alive', fence: 7, leaseUntil: fixture.clock.now() + 1000, runId: 'r' };
    await fixture.memory.put(stored);
    expect(await acquireLock(fixture.context, { runId: 'run' })).toEqual({ kind: 'refused', holder: stored });
    expect(await fixture.lock()).toEqual(stored);
  });

  it('gives a held lock to the continuation that carries its fence, and to no older one', async () => {
    const fixture = new Fixture();
    const first = await acquired(fixture.context);
    const second = await acquired(fixture.context, 'run', first.fence);
    expect(second.fence).toBe(2);
    expect(await acquireLock(fixture.context, { runId: 'run', fence: first.fence })).toMatchObject({ kind: 'refused' });
    await expect(first.renew()).rejects.toThrow('another invocation took the lock');
    expect(first.isHeld).toBe(false);
  });

  it('B51: counts as acquired when the write took place and its reply was lost', async () => {
    const fixture = new Fixture();
    const lock = await acquired(losingReplies(fixture, (update) => update === 0));
    expect([lock.fence, lock.isHeld]).toEqual([1, true]);
  });

  it('B51: counts as acquired when a retry inside of the SDK is refused by the first try', async () => {
    const fixture = new Fixture();
    const update = fixture.memory.update.bind(fixture.memory);
    fixture.memory.update = async (...call: Parameters<typeof update>) => {
      await update(...call);
      return update(...call);
    };
    expect((await acquired(fixture.context)).fence).toBe(1);
  });

  it('tries again when somebody was faster, and is refused then', async () => {
    const fixture = new Fixture();
    const [one, two] = await Promise.all([
      acquireLock(fixture.context, { runId: 'a' }),
      acquireLock(fixture.context, { runId: 'b' }),
    ]);
    expect([one.kind, two.kind].sort()).toEqual(['acquired', 'refused']);
    expect((await fixture.lock())?.fence).toBe(1);
  });

  it('fails with the cause when the table cannot be written', async () => {
    const fixture = new Fixture();
    const store = gatedStore(fixture.memory, (name, call) =>
      name === 'update' ? Promise.reject(new Error('table away')) : call(),
    );
    await expect(acquireLock({ ...fixture.context, store }, { runId: 'run' })).rejects.toMatchObject({
      cause: new Error('table away'),
    });
  });

  it('B49: gives the lock no time to live', async () => {
    const fixture = new Fixture();
    await acquired(fixture.context);
    expect(await fixture.lock()).not.toHaveProperty('expiresAt');
  });
});

describe('HeldLock', () => {
  it('is renewed by timer for as long as it is kept', async () => {
    const fixture = new Fixture();
    const lock = await acquired(fixture.context);
    const onLost = jest.fn();
    lock.keep(onLost);
    await fixture.clock.advance(600_000);
    expect([lock.isHeld, (await fixture.lock())!.leaseUntil]).toEqual([true, fixture.clock.now() + 60_000]);
    lock.stop();
    expect(fixture.clock.nextTimer()).toBeUndefined();
    await fixture.clock.advance(60_000);
    expect([lock.isHeld, onLost.mock.calls.length]).toEqual([false, 0]);
  });

  it('does not set its timer again when it is stopped while it renews', async () => {
    const fixture = new Fixture();
    const lock = await acquired(fixture.context);
    lock.keep(() => undefined);
    const advanced = fixture.clock.advance(20_000);
    lock.stop();
    await advanced;
    expect(fixture.clock.nextTimer()).toBeUndefined();
  });

  it('says once that it is lost when another one took it', async () => {
    const fixture = new Fixture();
    const lock = await acquired(fixture.context);
    const onLost = jest.fn();
    lock.keep(onLost);
    await acquired(fixture.context, 'run', lock.fence);
    await fixture.clock.advance(100_000);
    expect([onLost.mock.calls.length, lock.isHeld, fixture.clock.nextTimer()]).toEqual([1, false, undefined]);
  });

  it('outlives a renewal that fails, and is lost when all of them fail for a lease', async () => {
    const fixture = new Fixture();
    let isAway = false;
    const store = gatedStore(fixture.memory, (_, call) => (isAway ? Promise.reject(new Error('away')) : call()));
    const lock = await acquired({ ...fixture.context, store });
    const onLost = jest.fn();
    lock.keep(onLost);
    isAway = true;
    await fixture.clock.advance(30_000);
    isAway = false;
    await fixture.clock.advance(60_000);
    expect([lock.isHeld, onLost.mock.calls.length]).toEqual([true, 0]);
    isAway = true;
    await fixture.clock.advance(100_000);
    expect([lock.isHeld, onLost.mock.calls.length]).toEqual([false, 1]);
  });

  it('B50: does not renew a lease that has lapsed, even if nobody took the lock', async () => {
    const fixture = new Fixture();
    const lock = await acquired(fixture.context);
    await fixture.clock.advance(60_000);
    await expect(lock.renew()).rejects.toThrow('the lease of the lock has lapsed');
    expect(() => {
      lock.assertHeld();
    }).toThrow('lapsed');
  });

  it('renews one after another, so that the newest lease is the stored one', async () => {
    const fixture = new Fixture();
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const store = gatedStore(fixture.memory, async (_, call) => {
      if (isSlow) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return call();
    });
    const lock = await acquired({ ...fixture.context, store });
    isSlow = true;
    const both = [lock.renew(), lock.renew()];
    await drained();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.();
    await drained();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.();
    await Promise.all(both);
  });

  it('is free after its release, and its fence goes on', async () => {
    const fixture = new Fixture();
    await (await acquired(fixture.context)).release();
    expect(await fixture.lock()).toEqual({ ...KEY, fence: 1, leaseUntil: 0 });
    expect((await acquired(fixture.context)).fence).toBe(2);
  });

  it('leaves its run to the next holder when it is abandoned', async () => {
    const fixture = new Fixture();
    await (await acquired(fixture.context, 'unfinished')).abandon();
    expect((await acquired(fixture.context, 'wanted')).runId).toBe('unfinished');
  });

  it('releases nothing that another one holds', async () => {
    const fixture = new Fixture();
    const first = await acquired(fixture.context);
    await acquired(fixture.context, 'run', first.fence);
    const before = await fixture.lock();
    await first.release();
    await first.abandon();
    expect(await fixture.lock()).toEqual(before);
  });
});
