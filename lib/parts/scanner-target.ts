import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { ScheduleTargetInput } from 'aws-cdk-lib/aws-scheduler';
import type { IScheduleTarget, ScheduleTargetConfig } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { FIXED } from '../bounds';

/** One kind of call of the scanner by the Scheduler. */
export interface ScannerTargetProps {
  readonly scanner: Function;
  readonly role: IRole;
  /** Standard queue for calls that could not be delivered. */
  readonly failureQueue: IQueue;
  /** What the scanner receives, as a JSON object. */
  readonly event: object;
  /** Age in seconds at which a delivery is given up. */
  readonly maxAge: number;
}

/** Calls the scanner by its plain ARN, with a role and a retry policy of the fanout's own. */
export class ScannerTarget implements IScheduleTarget {
  constructor(private readonly props: ScannerTargetProps) {}

  bind(): ScheduleTargetConfig {
    const { scanner, role, failureQueue, event, maxAge } = this.props;
    return {
      arn: scanner.functionArn,
      role,
      input: ScheduleTargetInput.fromObject(event),
      deadLetterConfig: { arn: failureQueue.queueArn },
      retryPolicy: { maximumEventAgeInSeconds: maxAge, maximumRetryAttempts: FIXED.deliveryRetries },
    };
  }
}
