import { join } from 'node:path';
import type { StackProps } from 'aws-cdk-lib';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { CronFanout, RetryPolicy } from '../../lib';
import { BOOKINGS } from './booking';

/** Bookings, and what is to be done about them every five minutes. */
export class BookingsStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const { index } = BOOKINGS;
    const bookings = new TableV2(this, BOOKINGS.id, {
      partitionKey: { name: BOOKINGS.partitionKey, type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
          sortKey: { name: index.sortKey, type: AttributeType.STRING },
        },
      ],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const jobs = new CronFanout(this, 'BookingJobs', {
      entry: join(__dirname, 'jobs.ts'),
      schedule: ScheduleExpression.rate(Duration.minutes(5)),
      maxConcurrency: 20,
      retry: RetryPolicy.exponential({ maxAttempts: 4, initialDelay: Duration.seconds(10) }),
      environment: { [BOOKINGS.variable]: bookings.tableName },
      tracing: Tracing.ACTIVE,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Not by the grants of the table: with them come its streams, its other indexes and its batch actions.
    const due = `${bookings.tableArn}/index/${index.name}`;
    jobs.scanner.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources: [due] }));
    jobs.consumer.addToRolePolicy(
      new PolicyStatement({ actions: ['dynamodb:UpdateItem'], resources: [bookings.tableArn] }),
    );
  }
}
