import { PermanentError } from '../../lambda/job';
import { feedback, reminder } from './jobs';
import { makeBookings } from './load';
import { sendMail } from './mail';

const MAIL = { attempt: 1, idempotencyKey: 'k' };

describe('the bookings of the example', () => {
  const bookings = makeBookings(20_000, 1);

  it('are one for each flight of the data set, with the airports as organisations', () => {
    expect(bookings).toHaveLength(20_000);
    const sizes = new Map<string, number>();
    for (const { organisation } of bookings) {
      sizes.set(organisation, (sizes.get(organisation) ?? 0) + 1);
    }
    expect(sizes.size).toBe(220);
    expect(sizes.get('DFW')).toBe(1103);
  });

  it('are each due for one of the two jobs', () => {
    const due = bookings.filter(({ task, dueAt }) => task !== undefined && dueAt < '2002');
    expect(due).toHaveLength(20_000);
    for (const { jobType } of [reminder, feedback]) {
      expect(due.filter(({ task }) => `booking.${task ?? ''}` === jobType).length).toBeGreaterThan(5_000);
    }
  });

  it('fail by the seed alone: a few once, a few for good', () => {
    const share = (mailbox: string): number => bookings.filter((one) => one.mailbox === mailbox).length / 20_000;
    expect(share('greylisted')).toBeCloseTo(0.03, 2);
    expect(share('unknown')).toBeCloseTo(0.007, 2);
    expect(share('full')).toBeCloseTo(0.003, 2);
    expect(makeBookings(100, 1)).not.toEqual(makeBookings(100, 2));
    expect(makeBookings(100, 1)).toEqual(makeBookings(100, 1));
  });

  it('have different ids where the data set begins anew', () => {
    const many = makeBookings(20_005, 1);
    expect(new Set(many.map(({ bookingId }) => bookingId)).size).toBe(20_005);
  });

  it('are identified by their id and ordered by organisation', () => {
    const [booking] = bookings;
    expect(reminder.key(booking!)).toBe('B0000000');
    expect(reminder.group?.(booking!)).toBe('DTW');
  });
});

describe('sendMail', () => {
  const [booking] = makeBookings(1, 1);

  it('is refused once by a greylisting mailbox', () => {
    const greylisted = { ...booking!, mailbox: 'greylisted' } as const;
    expect(() => sendMail(greylisted, 'hello', MAIL)).toThrow(/451/);
    expect(sendMail(greylisted, 'hello', { ...MAIL, attempt: 2 })).toBe('k: hello');
  });

  it('is refused for good by a mailbox that does not exist, and always by a full one', () => {
    expect(() => sendMail({ ...booking!, mailbox: 'unknown' }, 'hello', MAIL)).toThrow(PermanentError);
    expect(() => sendMail({ ...booking!, mailbox: 'full' }, 'hello', { ...MAIL, attempt: 4 })).toThrow(/452/);
  });
});
