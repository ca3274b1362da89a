import { Stack, Token } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
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
    ...(options.encryptionKey === undefined ? {} : { encryption: encryptionWith(scope, options.encryptionKey) }),
    ...(options.pointInTimeRecovery === undefined
      ? {}
      : { pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: options.pointInTimeRecovery } }),
  });
  return table;
}

/**
 * In a stack whose region is not known at synth time the L2 refuses a key of the user's, because it could not tell its replicas apart. This table has one alone, in
 * the region of the stack, so that there is nothing to tell apart.
 */
function encryptionWith(scope: Construct, key: IKey): TableEncryptionV2 {
  const encryption = TableEncryptionV2.customerManagedKey(key);
  if (Token.isUnresolved(Stack.of(scope).region)) {
    encryption._renderReplicaSseSpecification = () => ({ kmsMasterKeyId: key.keyArn });
  }
  return encryption;
}
