import { entryPoints } from './places';

/** How the user's test names the modules of the user's app. */
export interface UserModules {
  readonly stack: string;
  readonly job: string;
  /** Expression for the folder of the test. */
  readonly directory: string;
}

/** A Jest test as the user of an app writes it: imports every entry point, looks at the job and at the template, and makes the mistakes that users make. */
export function userTest({ stack, job, directory }: UserModules): string {
  const points = entryPoints();
  return `import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Duration, Stack } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout } from 'cron-fanout';
import { BookingsStack } from '${stack}';
import bookingReminders from '${job}';
${points.map((point, place) => `import * as entryPoint${place} from '${point}';`).join('\n')}

const schedule = ScheduleExpression.rate(Duration.minutes(5));

function template(entry: string): object {
  const fanout = new Stack(new App(), 'Stack');
  new CronFanout(fanout, 'Fanout', { entry, schedule });
  return Template.fromStack(fanout).toJSON();
}

test.each([${points.map((point, place) => `['${point}', entryPoint${place}]`).join(', ')}])('%s can be imported', (_, exported) => {
  expect(Object.keys(exported).length).toBeGreaterThan(0);
});

test('the job module can be imported', () => {
  expect(bookingReminders.jobType).toBe('booking.reminder');
});

test('the stack has its queues and functions', () => {
  const stack = Template.fromStack(new BookingsStack(new App(), 'Bookings'));
  stack.resourceCountIs('AWS::SQS::Queue', 3);
  stack.resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
});

test('B22: a path, a file URL and a path from the working directory name the same job module', () => {
  const file = join(${directory}, '${job.replace(/\.js$/, '')}.ts');
  const named = [file, pathToFileURL(file).href].map(template);
  expect(named[1]).toEqual(named[0]);
});

test('B22: a job module that is not there is refused with the absolute path that was tried', () => {
  expect(() => template('jobs/nowhere.ts')).toThrow(join(process.cwd(), 'jobs', 'nowhere.ts'));
});
`;
}
