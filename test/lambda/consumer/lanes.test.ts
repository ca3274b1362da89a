import fc from 'fast-check';
import { lanesOf } from '../../../lambda/consumer/lanes';
import { readMessage } from '../../../lambda/consumer/received-message';
import { groupId } from '../../../lambda/ledger/identity';
import { FANOUT, JOB, message, START } from './harness';
import type { MessageOptions } from './harness';

const read = (options: readonly MessageOptions[]) => options.map((one) => readMessage(message(one), FANOUT, START));

describe('lanes of a batch', () => {
  test('messages of one group are one lane, in their order', () => {
    const messages = read([{ group: 'A' }, { group: 'B' }, { group: 'A' }]);
    expect(lanesOf(messages, 'group')).toEqual([[messages[0], messages[2]], [messages[1]]]);
  });

  test('an SQS group that is shared makes one lane of several groups', () => {
    const messages = read([
      { group: 'A', sqsGroup: 'single' },
      { group: 'B', sqsGroup: 'single' },
    ]);
    expect(lanesOf(messages, 'group')).toEqual([messages]);
  });

  test('a message in a group of its own joins the lane of its logical group', () => {
    const messages = read([
      { group: 'A' },
      { group: 'B' },
      { group: 'A', sqsGroup: 'a-death' },
      { sqsGroup: 'a-death' },
    ]);
    expect(lanesOf(messages, 'group')).toEqual([[messages[0], messages[2], messages[3]], [messages[1]]]);
  });

  test('a message that cannot be read keeps its place in its SQS group; without one it is alone', () => {
    const messages = read([{ body: '{', sqsGroup: groupId(JOB, 'A') }, { group: 'A' }, { body: '{', sqsGroup: null }]);
    expect(lanesOf(messages, 'group')).toEqual([[messages[0], messages[1]], [messages[2]]]);
  });

  test('under the rule `single` everything is one lane', () => {
    const messages = read([{ group: 'A' }, { group: 'B' }, { body: '{', sqsGroup: null }]);
    expect(lanesOf(messages, 'single')).toEqual([messages]);
  });

  test('every message is in exactly one lane, and in order', () => {
    const options = fc.record({
      group: fc.constantFrom('A', 'B', 'C'),
      sqsGroup: fc.constantFrom('x', 'y', 'z', null),
      ordinal: fc.nat(9),
    });
    fc.assert(
      fc.property(fc.array(options, { maxLength: 10 }), (batch) => {
        const messages = read(batch);
        const lanes = lanesOf(messages, 'group');
        expect(lanes.flat()).toHaveLength(messages.length);
        expect(new Set(lanes.flat())).toEqual(new Set(messages));
        for (const lane of lanes) {
          const places = lane.map((one) => messages.indexOf(one));
          expect(places).toEqual([...places].sort((a, b) => a - b));
        }
        messages.forEach((one, index) => {
          const mates = messages.filter((_, other) => batch[other]!.group === batch[index]!.group);
          const lane = lanes.find((members) => members.includes(one));
          expect(mates.every((mate) => lane?.includes(mate))).toBe(true);
        });
      }),
    );
  });
});
