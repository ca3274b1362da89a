import type { QueueEvent } from '../../../../lambda/simulation/event-source-mapping';
import { send } from '../../../../lambda/simulation/sqs';
import { sendAll } from '../sqs/fixtures';
import { harness } from './harness';

describe('the record of a message', () => {
  it('has the shape that Lambda documents', async () => {
    const records: QueueEvent['Records'][number][] = [];
    const { mapping, queue, clock } = harness((event) => {
      records.push(...event.Records);
      return Promise.resolve({});
    });
    const sentAt = clock.now();
    const attributes = {
      n: { dataType: 'Number', stringValue: '1' },
      b: { dataType: 'Binary', binaryValue: new Uint8Array([1, 2]) },
    };
    const { messageId } = send(queue, {
      body: 'Test',
      attributes,
      groupId: 'group-1',
      deduplicationId: 'dedup-1',
      traceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
    });
    await clock.advance(1500);
    mapping.start();
    await mapping.whenIdle();
    expect(records).toEqual([
      {
        messageId,
        receiptHandle: expect.stringMatching(/^AQEB/) as string,
        body: 'Test',
        attributes: {
          ApproximateReceiveCount: '1',
          ApproximateFirstReceiveTimestamp: String(sentAt + 1500),
          AWSTraceHeader: 'Root=1-5759e988-bd862e3fe1be46a994272793',
          MessageDeduplicationId: 'dedup-1',
          MessageGroupId: 'group-1',
          SenderId: expect.any(String) as string,
          SentTimestamp: String(sentAt),
          SequenceNumber: expect.stringMatching(/^\d{20}$/) as string,
        },
        messageAttributes: {
          n: { dataType: 'Number', stringValue: '1', stringListValues: [], binaryListValues: [] },
          b: { dataType: 'Binary', binaryValue: 'AQI=', stringListValues: [], binaryListValues: [] },
        },
        md5OfBody: '0cbc6611f5540bd0809a388dc95a615b',
        md5OfMessageAttributes: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        eventSource: 'aws:sqs',
        eventSourceARN: queue.arn,
        awsRegion: 'us-east-1',
      },
    ]);
  });

  it('names no attribute that a message does not have', async () => {
    const names: string[][] = [];
    const { mapping, queue } = harness(({ Records }) => {
      names.push(...Records.map((record) => Object.keys({ ...record, ...record.attributes })));
      return Promise.resolve({});
    });
    sendAll(queue, ['a']);
    mapping.start();
    await mapping.whenIdle();
    expect(names[0]).not.toContain('AWSTraceHeader');
    expect(names[0]).not.toContain('DeadLetterQueueSourceArn');
    expect(names[0]).not.toContain('md5OfMessageAttributes');
  });
});
