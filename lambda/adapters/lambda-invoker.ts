import type { LambdaClient } from '@aws-sdk/client-lambda';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import type { ContinuationEvent } from '../contract';
import type { Invoker } from '../ports';

/** Invokes this very function again, asynchronously. */
export class LambdaInvoker implements Invoker {
  /** @param functionName name or ARN of the scanner, as Lambda's own environment gives it */
  constructor(
    private readonly client: LambdaClient,
    private readonly functionName: string,
  ) {}

  async continueScan(event: ContinuationEvent): Promise<void> {
    await this.client.send(
      new InvokeCommand({
        FunctionName: this.functionName,
        InvocationType: 'Event',
        Payload: Buffer.from(JSON.stringify(event)),
      }),
    );
  }
}
