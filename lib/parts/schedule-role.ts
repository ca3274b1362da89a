import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { grantSend } from './permissions';

/** What a schedule of a fanout may do. */
export interface ScheduleRolePart {
  readonly scanner: Function;
  readonly failureQueue: IQueue;
}

/**
 * Role that the Scheduler assumes for the schedules of one group. The L2's own target would share one role per target over the whole stack, and allow every
 * version of the function.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
export function createScheduleRole(
  scope: Construct,
  brought: IRole | undefined,
  group: IScheduleGroup,
  part: ScheduleRolePart,
): IRole {
  const role =
    brought ??
    new Role(scope, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.scheduleGroupArn },
        },
      }),
    });
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [part.scanner.functionArn] }),
  );
  grantSend(role, part.failureQueue);
  return role;
}
