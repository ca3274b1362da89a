import { GroupOrder } from '../../../lambda/simulation/sqs/delivery-order';
import type { LinkedList } from '../../../lambda/simulation/sqs/linked-list';
import type { StoredMessage } from '../../../lambda/simulation/sqs/message';
import { Queue } from '../../../lambda/simulation/sqs/queue';
import { ENDPOINT_VARIABLE, endpointOfEnvironment, startOurs, type ConformanceEndpoint } from './endpoint';
import { RULES } from './rules';
import { judge, reasonToSkip } from './verdict';

const isForeign = (process.env[ENDPOINT_VARIABLE] ?? '') !== '';

describe('conformance to the AWS documentation of Amazon SQS', () => {
  let endpoint: ConformanceEndpoint;

  beforeAll(async () => {
    endpoint = await endpointOfEnvironment();
  });

  afterAll(() => endpoint.close());

  for (const rule of RULES) {
    const skip = reasonToSkip(rule, !isForeign);
    const name = `${rule.id}: ${rule.rule} (${rule.source})`;
    if (skip === undefined) {
      it(name, () => rule.run(endpoint.context), isForeign ? 60_000 : 5000);
    } else {
      it.skip(`${name}: ${skip}`, () => undefined);
    }
  }
});

describe('the list of rules', () => {
  it('has distinct ids, and an AWS page as the source of each rule', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { source } of RULES) {
      expect(source).toMatch(/^https:\/\/(docs\.aws\.amazon\.com|repost\.aws)\//);
    }
  });
});

/** The method of a class as it is before a test replaces it. */
function methodOf<T, K extends keyof T>(type: { readonly prototype: T }, name: K): T[K] {
  return type.prototype[name];
}

describe('the rules catch an engine that', () => {
  let endpoint: ConformanceEndpoint;

  beforeEach(async () => {
    endpoint = await startOurs();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await endpoint.close();
  });

  async function broken(areas: RegExp): Promise<string[]> {
    const verdicts = await judge(
      RULES.filter(({ id }) => areas.test(id)),
      endpoint.context,
    );
    return verdicts.filter(({ result }) => result === 'broken').map(({ rule }) => rule.id);
  }

  it('does not lock a group', async () => {
    jest.spyOn(GroupOrder.prototype, 'candidates').mockImplementation(function* (this: GroupOrder) {
      for (const { messages } of (
        this as unknown as { groups: Map<string, { messages: LinkedList<StoredMessage> }> }
      ).groups.values()) {
        for (let place = messages.first; place !== undefined; place = place.next) {
          if (place.value.state === 'visible') {
            yield place.value;
          }
        }
      }
    });
    expect(await broken(/^delivery-0[1257]$/)).toEqual(['delivery-05', 'delivery-07']);
  });

  it('unlocks a group as soon as its first message is visible', async () => {
    const hidden = methodOf(GroupOrder, 'hidden');
    jest.spyOn(GroupOrder.prototype, 'hidden').mockImplementation(function (this: GroupOrder, message) {
      hidden.call(this, message, false);
    });
    const released = methodOf(GroupOrder, 'released');
    jest.spyOn(GroupOrder.prototype, 'released').mockImplementation(function (this: GroupOrder, message) {
      released.call(this, message, false);
    });
    expect(await broken(/^delivery-0[58]$/)).toEqual(['delivery-08']);
  });

  it('has one deduplication scope only', async () => {
    jest.spyOn(Queue.prototype, 'deduplicationKey').mockImplementation(({ deduplicationId }) => deduplicationId);
    expect(await broken(/^deduplication-0[189]$/)).toEqual(['deduplication-09']);
  });

  it('counts no receives', async () => {
    const receive = methodOf(Queue, 'receive');
    jest.spyOn(Queue.prototype, 'receive').mockImplementation(function (this: Queue, message, seconds) {
      receive.call(this, message, seconds);
      message.receiveCount = 1;
    });
    expect(await broken(/^(dead-letters-01|visibility-12)$/)).toEqual(['visibility-12', 'dead-letters-01']);
  });
});
