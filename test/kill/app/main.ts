import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { ENVIRONMENT } from '../../../lambda/contract';
import { CronFanout, RetryPolicy } from '../../../lib';
import { PAGE_SIZE } from './records';

const app = new App();
const stack = new Stack(app, 'Kill');
const fanout = new CronFanout(stack, 'Records', {
  entry: join(__dirname, 'jobs.ts'),
  schedule: ScheduleExpression.rate(Duration.minutes(5)),
  timeout: Duration.seconds(10),
  // Longer than the lease of the lock: what a scanner has sent is not all settled when the next one sends it again.
  retry: RetryPolicy.fixed({ maxAttempts: 4, delay: Duration.seconds(90), jitter: 0 }),
  // The kill switch comes in as any module that a user wants to be loaded first.
  environment: JSON.parse(process.env.KILL_TEST_ENVIRONMENT ?? '{}') as Record<string, string>,
});
withSmallPages(fanout.scanner);
withSmallPages(fanout.consumer);

/** The construct has one size of pages; runs of several pages would be large with it. */
function withSmallPages(made: Function): void {
  const resource = made.node.defaultChild as CfnFunction;
  const { variables } = stack.resolve(resource.environment) as { readonly variables: Record<string, string> };
  const configuration = JSON.parse(variables[ENVIRONMENT.configuration] ?? '{}') as object;
  resource.addPropertyOverride(
    `Environment.Variables.${ENVIRONMENT.configuration}`,
    JSON.stringify({ ...configuration, pageSize: PAGE_SIZE }),
  );
}
