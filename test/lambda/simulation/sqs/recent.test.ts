import { Recent } from '../../../../lambda/simulation/sqs/recent';

describe('Recent', () => {
  it('forgets a key when its time is over, not before', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'one', 0);
    recent.set('b', 'two', 50);
    expect([recent.get('a', 99), recent.get('a', 100), recent.get('b', 100)]).toEqual(['one', undefined, 'two']);
  });

  it('remembers a key anew that is set again', () => {
    const recent = new Recent<string>(100);
    recent.set('a', 'one', 0);
    recent.set('a', 'two', 60);
    expect([recent.get('a', 120), recent.get('a', 160)]).toEqual(['two', undefined]);
  });

  it('holds only what it remembers', () => {
    const recent = new Recent<number>(100);
    for (let now = 0; now < 20_000; now++) {
      recent.set(`key-${now}`, now, now);
    }
    expect(recent.size).toBe(100);
    expect((recent as unknown as { order: unknown[] }).order.length).toBeLessThan(3000);
  });
});
