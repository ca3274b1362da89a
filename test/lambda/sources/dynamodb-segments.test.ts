import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SourceContext } from '../../../lambda/job';
import type { DynamoDbSourceOptions } from '../../../lambda/sources';
import { dynamoDbSource } from '../../../lambda/sources';
import { recordsOf, sourceContext } from './source-context';

const SECOND_OF_FOUR = { index: 1, count: 4 };
const QUERY = { KeyConditionExpression: '#a = :a' };

/** Inputs of the requests that a source makes for a segment. */
async function requestsOf(
  options: Partial<DynamoDbSourceOptions<object, object>>,
  segment: SourceContext['segment'],
): Promise<object[]> {
  const inputs: object[] = [];
  const client = {
    send: ({ input }: { input: object }) => {
      inputs.push(input);
      return Promise.resolve({ Items: [] });
    },
  } as unknown as Pick<DynamoDBClient, 'send'>;
  const source = dynamoDbSource<object>({ tableName: 'Bookings', client, ...options });
  await recordsOf(source({ ...sourceContext(), segment }));
  return inputs;
}

describe('dynamoDbSource in segments', () => {
  it('is a parallel scan', async () => {
    expect(await requestsOf({}, SECOND_OF_FOUR)).toEqual([expect.objectContaining({ Segment: 1, TotalSegments: 4 })]);
  });

  it('is a plain scan where there is one segment', async () => {
    const [request] = await requestsOf({}, { index: 0, count: 1 });
    expect(request).not.toHaveProperty('Segment');
  });

  it('lets a function make a query of the segment', async () => {
    const query = ({ segment }: SourceContext) => ({ ...QUERY, IndexName: `shard-${segment.index}` });
    const [request] = await requestsOf({ query }, SECOND_OF_FOUR);
    expect(request).toMatchObject({ IndexName: 'shard-1' });
    expect(request).not.toHaveProperty('Segment');
  });

  it('refuses one query for several segments, which would each read all of it', async () => {
    await expect(requestsOf({ query: QUERY }, SECOND_OF_FOUR)).rejects.toMatchObject({ code: 'QueryInSegments' });
  });
});
