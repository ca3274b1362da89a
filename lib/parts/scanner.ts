import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Policy } from 'aws-cdk-lib/aws-iam';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import type { Code, Function } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { FIXED } from '../bounds';
import type { CronFanoutProps } from '../props';
import type { Settings } from '../settings';
import { acknowledge, OF_SCANNER } from './findings';
import { createFunction } from './functions';
import { invoke, sendTo, useOwnItems } from './permissions';

/** What the scanner works with. */
export interface ScannerPart {
  readonly fanoutId: string;
  readonly code: Code;
  readonly handler: string;
  /** `FanoutConfiguration` as JSON. */
  readonly configuration: string;
  readonly queue: IQueue;
  readonly failureQueue: IQueue;
  readonly stateTable: ITable;
}

/** The scanner, and the policy by which it may continue itself. */
export interface Scanner {
  readonly function: Function;
  readonly continuation: Policy;
}

/**
 * Makes the scanner. Schedules and continuations invoke its plain function ARN, which is the qualifier `$LATEST`; the settings of asynchronous invocations are
 * made for that very qualifier, since those of another one would not apply.
 */
export function createScanner(
  scope: Construct,
  props: CronFanoutProps,
  settings: Settings,
  part: ScannerPart,
): Scanner {
  const scanner = createFunction(scope, props, {
    id: 'Scanner',
    description: `Finds the records that are due and enqueues them (${part.fanoutId})`,
    code: part.code,
    handler: part.handler,
    timeout: settings.scannerTimeout,
    memorySize: settings.scannerMemorySize,
    role: props.scannerRole,
    permissions: [sendTo(part.queue), sendTo(part.failureQueue), useOwnItems(part.stateTable, part.fanoutId)],
    own: {
      fanoutId: part.fanoutId,
      stateTable: part.stateTable.tableName,
      queueUrl: part.queue.queueUrl,
      configuration: part.configuration,
    },
    more: {
      // A long scan is a chain of invocations, which Lambda would stop after about 16; the runtime bounds it itself.
      recursiveLoop: RecursiveLoop.ALLOW,
      retryAttempts: FIXED.scannerRetries,
      maxEventAge: Duration.seconds(settings.schedule.scannerEventAge),
      onFailure: { bind: () => ({ destination: part.failureQueue.queueArn }) },
    },
  });
  acknowledge(scanner.node.defaultChild, OF_SCANNER);
  // Not in the role itself: the function depends on the role, and this on the function.
  const continuation = new Policy(scope, 'ScannerContinuation', { statements: [...invoke(scanner).statements] });
  scanner.role?.attachInlinePolicy(continuation);
  return { function: scanner, continuation };
}
