import { readEvent, runIdOfTick } from '../../../lambda/scanner/event';
import { tick } from './fixture';

describe('readEvent', () => {
  it('reads a tick, a continuation and a watchdog call', () => {
    expect(readEvent({ ...tick(), more: 1 })).toEqual(tick());
    const continuation = { kind: 'continuation', runId: 'r:1', fence: 3, hops: 1 };
    expect(readEvent(continuation)).toEqual(continuation);
    expect(readEvent({ kind: 'watchdog' })).toEqual({ kind: 'watchdog' });
  });

  it('reads a tick of which only the scheduled time is known', () => {
    expect(readEvent({ kind: 'tick', scheduledTime: 'x' })).toEqual({
      kind: 'tick',
      scheduledTime: 'x',
      scheduleArn: '',
      attempt: '',
    });
  });

  it('fails on a tick whose scheduled time was never filled in', () => {
    const event = tick('<aws.scheduler.scheduled-time>');
    expect(() => readEvent(event)).toThrow(expect.objectContaining({ code: 'UnsubstitutedTick' }) as Error);
  });

  it.each([
    undefined,
    null,
    'text',
    42,
    [],
    {},
    { kind: 'other' },
    '{"kind":"tick"}',
    { kind: 'tick' },
    { kind: 'tick', scheduledTime: '' },
    { kind: 'tick', scheduledTime: 7 },
    { kind: 'tick', scheduledTime: 'x'.repeat(257) },
    { kind: 'continuation', runId: 'a#b', fence: 1, hops: 1 },
    { kind: 'continuation', runId: 'a', fence: 0, hops: 1 },
    { kind: 'continuation', runId: 'a', fence: 1, hops: '1' },
  ])('fails on the malformed event %j', (event) => {
    expect(() => readEvent(event)).toThrow(expect.objectContaining({ code: 'InvalidScannerEvent' }) as Error);
  });

  it('shows what it received, cut, and no value but the kind', () => {
    expect(() => readEvent({ kind: 'x'.repeat(500) })).toThrow(/received an object with kind "x{80,120}; allowed/);
    expect(() => readEvent({ kind: 'tock', secret: 'hush' })).toThrow(
      'received an object with kind "tock" and members kind, secret; allowed',
    );
    expect(() => readEvent({ secret: 'hush' })).toThrow('received an object with secret; allowed');
    expect(() => readEvent({})).toThrow('received an object with no members; allowed');
    expect(() => readEvent('hush')).toThrow('received a string; allowed');
    expect(() => readEvent(null)).toThrow('received null; allowed');
  });
});

describe('runIdOfTick', () => {
  it('is the scheduled time', () => {
    expect(runIdOfTick({ scheduledTime: '2026-01-01T00:00:00Z' })).toBe('2026-01-01T00:00:00Z');
  });

  it.each(['a#b', 'täglich', ' ', 'x'.repeat(65)])('hashes %j, which may not stand in a key', (scheduledTime) => {
    const runId = runIdOfTick({ scheduledTime });
    expect(runId).toMatch(/^tick-[0-9a-f]{32}$/);
    expect(runIdOfTick({ scheduledTime })).toBe(runId);
    expect(runIdOfTick({ scheduledTime: `${scheduledTime}!` })).not.toBe(runId);
  });
});
