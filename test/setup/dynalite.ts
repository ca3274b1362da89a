import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';

/** An embedded DynamoDB for one test file. */
export interface Dynalite {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** Creates a table with string keys `pk` and `sk`. */
  createTable(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts dynalite on a free loopback port; tables are ready at once. */
export async function startDynalite(): Promise<Dynalite> {
  const server: Server = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    endpoint,
    client,
    documents,
    async createTable(name: string): Promise<void> {
      await client.send(
        new CreateTableCommand({
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'S' },
          ],
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
        }),
      );
    },
    async close(): Promise<void> {
      documents.destroy();
      client.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
    },
  };
}
