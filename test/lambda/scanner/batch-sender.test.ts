import { ErrorTexts } from '../../../lambda/job/error-texts';
import * as fc from 'fast-check';
import { groupId } from '../../../lambda/ledger';
import type { SendBatchResult, SendEntry } from '../../../lambda/ports';
import { sendMessages } from '../../../lambda/scanner/batch-sender';
import type { RefusedMessage } from '../../../lambda/scanner/batch-sender';
import { LockLost } from '../../../lambda/scanner/interruptions';
import type { OutgoingMessage } from '../../../lambda/scanner/send-order';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';
import { FakeQueue, KeptLog, drained } from './fixture';

const MIB = 1_048_576;

function message(ordinal: number, group = `g${ordinal}`, bytes = 100): OutgoingMessage {
  return {
    ordinal,
    key: `k${ordinal}`,
    group,
    body: `${ordinal}`.padEnd(bytes, '.'),
    bytes,
    groupId: groupId('job', group),
    deduplicationId: `d${ordinal}`,
  };
}

const messages = (count: number): OutgoingMessage[] => Array.from({ length: count }, (_, place) => message(place));

const errors = new ErrorTexts(new Map());

function setUp(guard: () => void = () => undefined) {
  const clock = new VirtualClock(0);
  const queue = new FakeQueue(clock);
  const log = new KeptLog();
  const randomness = new SeededRandomness(3);
  const send = (outgoing: readonly OutgoingMessage[]): Promise<RefusedMessage[]> =>
    clock.run(sendMessages(outgoing, { queue, clock, randomness, logger: log, errors, guard }));
  return { clock, queue, log, randomness, send };
}

const failure = (id: string, senderFault: boolean) => ({ id, code: 'Code', message: 'text', senderFault });
const numbersOf = (entries: readonly SendEntry[]): number[] => entries.map(({ body }) => parseInt(body, 10));

describe('sendMessages', () => {
  it('sends nothing where there is nothing', async () => {
    const { queue, send } = setUp();
    expect(await send([])).toEqual([]);
    expect(queue.calls).toEqual([]);
  });

  it('fills batches of ten', async () => {
    const { queue, send } = setUp();
    await send(messages(25));
    expect(queue.calls.map((call) => call.length)).toEqual([10, 10, 5]);
  });

  it('keeps at most eight calls in flight', async () => {
    const { clock, queue, log, randomness } = setUp();
    let [inFlight, most] = [0, 0];
    const waiting: (() => void)[] = [];
    const slow = {
      changeVisibility: () => Promise.resolve(0),
      sendBatch: async (entries: readonly SendEntry[]) => {
        most = Math.max(most, ++inFlight);
        await new Promise<void>((resolve) => waiting.push(resolve));
        inFlight -= 1;
        return queue.sendBatch(entries);
      },
    };
    const done = sendMessages(messages(200), {
      ...{ queue: slow, clock, randomness, logger: log, errors },
      guard: () => undefined,
    });
    for (let turn = 0; turn < 200 && queue.calls.length < 20; turn++) {
      await drained();
      waiting.shift()?.();
    }
    await done;
    expect(most).toBe(8);
  });

  it('B31: a repeated send carries byte-identical ids and bodies', async () => {
    const { queue, send } = setUp();
    // The service takes it all in, and the reply is lost.
    queue.faults.push((entries, accept) => {
      accept(entries);
      throw new Error('socket hang up');
    });
    await send(messages(10));
    expect(queue.calls).toHaveLength(2);
    expect(queue.calls[1]).toEqual(queue.calls[0]);
    expect(queue.messages).toHaveLength(10);
  });

  it('B34: sends again exactly what failed by no fault of its own, after a delay, and reports what is refused for good', async () => {
    const { clock, queue, send } = setUp();
    queue.faults.push((entries, accept) => {
      accept(entries.filter((_, place) => ![2, 5, 7].includes(place)));
      return {
        accepted: ['0', '1', '3', '4', '6', '8', '9'],
        failed: [failure('2', false), failure('5', true), failure('7', false)],
      };
    });
    const refused = await send(messages(10));
    expect(queue.calls.map(numbersOf)).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [2, 7],
    ]);
    expect(queue.messages).toHaveLength(9);
    expect(refused.map(({ message: { ordinal }, cause }) => [ordinal, cause])).toEqual([
      [5, 'SQS refuses it: Code text'],
    ]);
    expect(clock.now()).toBeGreaterThan(0);
  });

  it('B34: takes an entry that is in neither list for one that was not sent', async () => {
    const { queue, send } = setUp();
    queue.faults.push((entries, accept) => {
      accept(entries.slice(0, 2));
      return { accepted: ['0', '1'], failed: [] };
    });
    await send(messages(3));
    expect(queue.calls.map(numbersOf)).toEqual([[0, 1, 2], [2]]);
  });

  it('gives up after ten calls, with the reason', async () => {
    const { clock, queue, send } = setUp();
    queue.faults.push(...Array.from({ length: 10 }, () => () => ({ accepted: [], failed: [failure('0', false)] })));
    await expect(send(messages(1))).rejects.toThrow('SQS did not accept 1 messages: Code text');
    expect(queue.calls).toHaveLength(10);
    expect(clock.now()).toBeLessThan(20_000);
  });

  it('gives up with the error of the call where every call fails', async () => {
    const { queue, send } = setUp();
    queue.faults.push(
      ...Array.from({ length: 10 }, () => () => {
        throw new Error('no route to host');
      }),
    );
    await expect(send(messages(1))).rejects.toThrow('no route to host');
  });

  it('asks before every call whether it may send, and sends nothing more once it may not', async () => {
    let calls = 0;
    const { queue, send } = setUp(() => {
      if (++calls > 3) {
        throw new LockLost('gone');
      }
    });
    await expect(send(messages(100))).rejects.toThrow('gone');
    expect(queue.calls).toHaveLength(3);
  });

  it('B36: splits a batch whose messages are too large together', async () => {
    const { queue, send } = setUp();
    await send(Array.from({ length: 10 }, (_, place) => message(place, `g${place}`, 200_000)));
    expect(queue.calls.map((call) => call.length)).toEqual([5, 5]);
    expect(queue.messages).toHaveLength(10);
  });

  it('B36: keeps the order in a group where sizes split batches', async () => {
    const { queue, send } = setUp();
    await send(Array.from({ length: 10 }, (_, place) => message(place, 'one', 200_000)));
    expect(numbersOf(queue.messages)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('B39: numbers the entries of a call, whatever the keys are', async () => {
    const { queue, send } = setUp();
    await send([message(0, 'tenant:42/a'), message(1, 'tenant:42/b')]);
    expect(queue.calls[0]?.map(({ id }) => id)).toEqual(['0', '1']);
  });

  it('holds back the followers of a message that must be sent again, and no other group', async () => {
    const { queue, send } = setUp();
    const outgoing = [message(0, 'a'), message(1, 'a'), message(2, 'b'), message(3, 'b')];
    queue.faults.push((entries, accept) => {
      accept(entries.slice(1));
      return { accepted: ['1'], failed: [failure('0', false)] };
    });
    await send(outgoing);
    expect(queue.calls.map(numbersOf)).toEqual([[0, 2], [3], [0], [1]]);
  });

  it('sends each message once, in the order of its group, within every bound, whatever fails', async () => {
    const run = fc.record({
      groups: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 60 }),
      sizes: fc.array(fc.constantFrom(10, 100_000, 400_000, MIB - 16_384), { minLength: 1, maxLength: 10 }),
      // Of each call: what happens to its entries, 0 accepted, 1 failed, 2 in neither list, 3 lost reply, 4 lost call.
      faults: fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 10 }), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ groups, sizes, faults }) => {
        const { queue, send } = setUp();
        for (const fault of faults) {
          queue.faults.push((entries, accept): SendBatchResult => {
            const fates = entries.map((_, place) => fault[place % fault.length]!);
            if (fault[0]! >= 3) {
              accept(fault[0] === 3 ? entries : []);
              throw new Error('lost');
            }
            accept(entries.filter((_, place) => fates[place] === 0));
            return {
              accepted: entries.filter((_, place) => fates[place] === 0).map(({ id }) => id),
              failed: entries.filter((_, place) => fates[place] === 1).map(({ id }) => failure(id, false)),
            };
          });
        }
        const outgoing = groups.map((group, place) => message(place, `g${group}`, sizes[place % sizes.length]));
        expect(await send(outgoing)).toEqual([]);
        expect(numbersOf(queue.messages).sort((a, b) => a - b)).toEqual(groups.map((_, place) => place));
        for (const call of queue.calls) {
          expect(call.length).toBeLessThanOrEqual(10);
          expect(call.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)).toBeLessThanOrEqual(MIB);
          expect(new Set(call.map((entry) => entry.groupId)).size).toBe(call.length);
        }
        for (const group of new Set(groups)) {
          const sent = numbersOf(queue.messages.filter((entry) => entry.groupId === groupId('job', `g${group}`)));
          expect(sent).toEqual([...sent].sort((a, b) => a - b));
        }
      }),
      { numRuns: 60 },
    );
  });
});
