import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** A finding of cdk-nag that is mistaken about a resource of a fanout. */
export interface Finding {
  /** Pack, rule and, where the rule has several findings, which of them: `AwsSolutions-IAM5[Resource::*]`. */
  readonly id: string;
  /** Why it is mistaken; audit tools show it. */
  readonly reason: string;
}

/** Of the dead-letter queue: it is the end of the line. */
export const OF_DEAD_LETTER_QUEUE: readonly Finding[] = [
  {
    id: 'Serverless-SQSRedrivePolicy',
    reason: 'This queue is the dead-letter queue of the work queue: there is nowhere else for its messages to go',
  },
];

/** Of the failure queue, which no redrive policy names: the Scheduler and Lambda send to it themselves. */
export const OF_FAILURE_QUEUE: readonly Finding[] = ['AwsSolutions-SQS3', 'Serverless-SQSRedrivePolicy'].map((id) => ({
  id,
  reason:
    'This queue is itself the dead-letter queue of the schedules and the failure destination of the scanner; nothing consumes it',
}));

/** Of the scanner. */
export const OF_SCANNER: readonly Finding[] = [
  {
    id: 'Serverless-LambdaDLQ',
    reason:
      'Invocations that fail go to the on-failure destination, the failure queue, with their cause; a dead-letter queue would only keep the event',
  },
];

/** Of the consumer. */
export const OF_CONSUMER: readonly Finding[] = [
  {
    id: 'Serverless-LambdaDLQ',
    reason:
      'The function is invoked by an event source mapping alone, synchronously: Lambda uses a dead-letter queue for asynchronous invocations only',
  },
];

/** Of the event source mapping. */
export const OF_MAPPING: readonly Finding[] = [
  {
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'Lambda has failure destinations for streams; messages of an SQS queue go to its dead-letter queue',
  },
];

/** Findings about a statement on all resources, where AWS has no other way. */
export function onAllResources(reason: string): readonly Finding[] {
  return ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions'].map((id) => ({ id, reason }));
}

/**
 * Acknowledges findings about one resource, and nothing around it: a user's own resources, and what users grant, are still found. It is a note in the construct tree;
 * where nobody validates with cdk-nag it has no effect.
 */
export function acknowledge(resource: IConstruct | undefined, findings: readonly Finding[]): void {
  if (resource !== undefined && findings.length > 0) {
    Validations.of(resource).acknowledge(...findings);
  }
}
