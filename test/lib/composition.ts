import { NestedStack, Stack } from 'aws-cdk-lib';
import type { App, StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { CronFanout, CronFanoutShared } from '../../lib';
import type { CronFanoutProps, CronFanoutSharedProps } from '../../lib';
import { MINIMAL } from './fanout-stack';

/** What stacks and fanouts of an app have together: the user's records and a key. */
export class Records extends Stack {
  readonly key = new Key(this, 'Key');
  readonly table: TableV2;

  constructor(
    scope: Construct,
    id: string,
    props: StackProps = { env: { account: '111122223333', region: 'eu-central-1' } },
  ) {
    super(scope, id, props);
    this.table = new TableV2(this, 'Bookings', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      encryption: TableEncryptionV2.customerManagedKey(this.key),
    });
  }

  /** A fanout in whatever scope that reads these records, has this key, and writes back. */
  fanout(scope: Construct, id: string, props: Partial<CronFanoutProps> = {}): CronFanout {
    const fanout = new CronFanout(scope, id, { ...MINIMAL, encryptionKey: this.key, ...props });
    this.table.grantReadData(fanout.scanner);
    this.table.grantReadWriteData(fanout.consumer);
    return fanout;
  }

  /** Shared parts in a stack of their own, encrypted with this key. */
  shared(scope: Construct, id: string, props: CronFanoutSharedProps = {}): CronFanoutShared {
    return new CronFanoutShared(
      new Stack(scope, id, { env: { account: this.account, region: this.region } }),
      'Shared',
      {
        encryptionKey: this.key,
        ...props,
      },
    );
  }
}

/** Ids of the stacks that a stack depends on. Fails where there is a circle. */
export function dependencies(app: App, stack: Stack): string[] {
  app.synth();
  return stack.dependencies.map(({ node }) => node.id).sort();
}

/** Number of resources of a stack. */
export function resourceCount(stack: Stack): number {
  return Object.keys(Template.fromStack(stack).toJSON().Resources as object).length;
}

/** A nested stack with that many fanouts. */
export function nestedFanouts(
  scope: Construct,
  id: string,
  count: number,
  props: Partial<CronFanoutProps>,
): NestedStack {
  const nested = new NestedStack(scope, id);
  for (let number = 1; number <= count; number++) {
    new CronFanout(nested, `Fanout${number}`, { ...MINIMAL, ...props });
  }
  return nested;
}
