import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { TABLE } from '../../lambda/contract';
import { checkStateTable } from '../brought';
import { refuseBoth } from '../checks';
import type { StorageOptions } from '../props';
import { removalPolicyOf } from './removal-policy';

/** Makes the table for lock and ledger, or takes the one that is brought. */
export function createStateTable(scope: Construct, options: StorageOptions): ITable {
  if (options.stateTable !== undefined) {
    refuseBoth(options, 'stateTable', 'pointInTimeRecovery', 'a table that is brought has its own');
    checkStateTable(options.stateTable);
    return options.stateTable;
  }
  // The CDK's classes do not fit its interfaces under exactOptionalPropertyTypes.
  const table: Omit<ITable, 'tableStreamArn'> = new TableV2(scope, 'StateTable', {
    partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
    sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
    timeToLiveAttribute: TABLE.timeToLive,
    billing: Billing.onDemand(),
    removalPolicy: removalPolicyOf(options),
    ...(options.encryptionKey === undefined
      ? {}
      : { encryption: TableEncryptionV2.customerManagedKey(options.encryptionKey) }),
    ...(options.pointInTimeRecovery === undefined
      ? {}
      : { pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: options.pointInTimeRecovery } }),
  });
  return table;
}
