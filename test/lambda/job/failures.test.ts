import { PermanentError, RetryLater } from '../../../lambda/job';
import { isPermanentError, retryLaterSeconds } from '../../../lambda/job/failures';

describe('PermanentError', () => {
  it('is recognised, also when another copy of the package made it', () => {
    const foreign = Object.assign(new Error('no'), { [Symbol.for('cron-fanout.PermanentError')]: true });
    expect(isPermanentError(new PermanentError('no such customer'))).toBe(true);
    expect(isPermanentError(foreign)).toBe(true);
  });

  it.each([new Error('x'), 'text', undefined, null, 7])('is not seen in %p', (thrown) => {
    expect(isPermanentError(thrown)).toBe(false);
  });

  it('keeps its cause and its name', () => {
    const cause = new Error('below');
    const error = new PermanentError('above', { cause });
    expect([error.name, error.cause]).toEqual(['PermanentError', cause]);
  });
});

describe('RetryLater', () => {
  it('carries the delay in seconds', () => {
    expect(retryLaterSeconds(new RetryLater({ after: 90 }))).toBe(90);
    expect(new RetryLater({ after: 90 }).message).toBe('retry in 90 s');
    expect(retryLaterSeconds(new Error('x'))).toBeUndefined();
  });
});
