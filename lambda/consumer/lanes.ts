import { groupId, SINGLE_GROUP_ID } from '../ledger/identity';
import type { ReceivedMessage } from './received-message';

/**
 * Sorts the messages of a batch into lanes; within a lane they keep their order. Two messages share a lane if they share an SQS group or a
 * logical group: a message that was redriven by the console of SQS comes in a group of its own, and a run that was sent under
 * another lane rule comes in the groups of that rule.
 */
export function lanesOf(messages: readonly ReceivedMessage[], rule: 'group' | 'single'): ReceivedMessage[][] {
  const laneByName = new Map<string, Set<number>>();
  messages.forEach((message, index) => {
    const names = namesOf(message, rule, index);
    const lane = new Set([index, ...names.flatMap((name) => [...(laneByName.get(name) ?? [])])]);
    // Every name of a lane that was merged leads to the merged one.
    for (const [name, members] of laneByName) {
      if ([...members].some((member) => lane.has(member))) {
        laneByName.set(name, lane);
      }
    }
    names.forEach((name) => laneByName.set(name, lane));
  });
  const lanes = [...new Set(laneByName.values())];
  return lanes.map((lane) => messages.filter((_, index) => lane.has(index)));
}

function namesOf(message: ReceivedMessage, rule: 'group' | 'single', index: number): string[] {
  const names = message.sqsGroup === undefined ? [] : [message.sqsGroup];
  if (rule === 'single') {
    names.push(SINGLE_GROUP_ID);
  } else if (message.content.kind === 'record') {
    names.push(groupId(message.content.envelope.job, message.content.envelope.group));
  }
  return names.length > 0 ? names : [`message-${index}`];
}
