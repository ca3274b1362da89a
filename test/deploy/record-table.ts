import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { RECORDS, type DueRecord, type Effect } from './app/record';
import type { Clients } from './clients';
import type { DeployedStack } from './deployed-stack';

/** The table of records of the test's app. */
export class RecordTable {
  private readonly name: string;

  constructor(
    private readonly clients: Clients,
    stack: DeployedStack,
  ) {
    this.name = stack.id(RECORDS.id);
  }

  /** Writes records. */
  async put(records: readonly DueRecord[]): Promise<void> {
    for (const record of records) {
      await this.clients.documents.send(new PutCommand({ TableName: this.name, Item: record }));
    }
  }

  /** Lets the handlers of the records at a gate go on. */
  async open(gate: string): Promise<void> {
    await this.clients.documents.send(new PutCommand({ TableName: this.name, Item: { id: gate } }));
  }

  /** What handlers have done for a record. */
  async effects(id: string): Promise<Effect[]> {
    const { Item } = await this.clients.documents.send(
      new GetCommand({ TableName: this.name, Key: { id }, ConsistentRead: true }),
    );
    return (Item?.effects ?? []) as Effect[];
  }
}
