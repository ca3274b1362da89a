import { App } from 'aws-cdk-lib';
import { BookingsStack } from '../examples/bookings/stack';

const app = new App();

new BookingsStack(app, 'CronFanoutBookings', {
  description: 'cron-fanout example: reminders and feedback requests for bookings',
});
