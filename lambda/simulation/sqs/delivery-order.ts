import type { Randomness } from '../../ports';
import { LinkedList, type Place } from './linked-list';
import type { StoredMessage } from './message';

/** Which visible message a receive hands out next. Told of every change of a message's state by `Queue`. */
export interface DeliveryOrder {
  /** A message was stored, visible or delayed. */
  stored(message: StoredMessage): void;
  /** A visible message went in flight (`goesInFlight`) or is delayed again. */
  hidden(message: StoredMessage, goesInFlight: boolean): void;
  /** A message that was in flight (`wasInFlight`) or delayed became visible. */
  released(message: StoredMessage, wasInFlight: boolean): void;
  /** A message left the queue. */
  removed(message: StoredMessage, wasInFlight: boolean): void;
  /**
   * Messages that may be handed out, in order. Whoever iterates hides or removes each before asking for the next, or stops.
   */
  candidates(): Generator<StoredMessage, void, undefined>;
}

interface Group {
  readonly id: string;
  /** All messages of the group that are stored, in the order in which they were sent. */
  readonly messages: LinkedList<StoredMessage>;
  inFlight: number;
  /** Place among the groups whose first message may be received. */
  ready: Place<Group> | undefined;
}

/**
 * Order of a FIFO queue: messages of a group in the order in which they were sent, and none of a group while any of it is in flight. A
 * receive takes as many of one group as it can before it turns to the next. Groups take turns: that is our choice, the service promises none.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class GroupOrder implements DeliveryOrder {
  private readonly groups = new Map<string, Group>();
  private readonly ready = new LinkedList<Group>();

  stored(message: StoredMessage): void {
    const id = message.groupId ?? '';
    let group = this.groups.get(id);
    if (group === undefined) {
      group = { id, messages: new LinkedList(), inFlight: 0, ready: undefined };
      this.groups.set(id, group);
    }
    message.place = group.messages.append(message);
    this.review(group);
  }

  hidden(message: StoredMessage, goesInFlight: boolean): void {
    const group = this.groupOf(message);
    group.inFlight += goesInFlight ? 1 : 0;
    this.review(group);
  }

  released(message: StoredMessage, wasInFlight: boolean): void {
    const group = this.groupOf(message);
    group.inFlight -= wasInFlight ? 1 : 0;
    this.review(group);
  }

  removed(message: StoredMessage, wasInFlight: boolean): void {
    const group = this.groupOf(message);
    group.inFlight -= wasInFlight ? 1 : 0;
    if (message.place !== undefined) {
      group.messages.remove(message.place);
      message.place = undefined;
    }
    this.review(group);
    if (group.messages.first === undefined) {
      this.groups.delete(group.id);
    }
  }

  *candidates(): Generator<StoredMessage, void, undefined> {
    for (let turn = this.ready.first; turn !== undefined; turn = this.ready.first) {
      for (let place = turn.value.messages.first; place?.value.state === 'visible';) {
        const { next } = place;
        yield place.value;
        place = next;
      }
    }
  }

  private review(group: Group): void {
    const isReady = group.inFlight === 0 && group.messages.first?.value.state === 'visible';
    if (isReady && group.ready === undefined) {
      group.ready = this.ready.append(group);
    } else if (!isReady && group.ready !== undefined) {
      this.ready.remove(group.ready);
      group.ready = undefined;
    }
  }

  private groupOf(message: StoredMessage): Group {
    const group = this.groups.get(message.groupId ?? '');
    if (group === undefined) {
      throw new Error(`internal: message ${message.messageId} has no group`);
    }
    return group;
  }
}

/** Order of a standard queue: at random on purpose, so that a consumer that relies on an order is found out. */
export class RandomOrder implements DeliveryOrder {
  private readonly visible: StoredMessage[] = [];

  constructor(private readonly randomness: Randomness) {}

  stored(message: StoredMessage): void {
    if (message.state === 'visible') {
      this.released(message);
    }
  }

  released(message: StoredMessage): void {
    message.slot = this.visible.push(message) - 1;
  }

  hidden(message: StoredMessage): void {
    this.removed(message);
  }

  removed(message: StoredMessage): void {
    const last = this.visible.at(-1);
    if (message.slot < 0 || last === undefined) {
      return;
    }
    this.visible[message.slot] = last;
    last.slot = message.slot;
    this.visible.pop();
    message.slot = -1;
  }

  *candidates(): Generator<StoredMessage, void, undefined> {
    for (;;) {
      const message = this.visible[Math.floor(this.randomness.fraction() * this.visible.length)];
      if (message === undefined) {
        return;
      }
      yield message;
    }
  }
}
