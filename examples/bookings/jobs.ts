import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { defineJob, dynamoDbSource } from '../../lambda/job';
import type { Booking, Task } from './booking';
import { BOOKINGS } from './booking';
import { sendMail } from './mail';

interface Services {
  readonly bookings: DynamoDBDocumentClient;
}

/** Two jobs in one registry: they differ in their task and in what they write. */
function bookingJob(task: Task, text: (booking: Booking) => string) {
  return defineJob<Booking, Services>({
    jobType: `booking.${task}`,
    setup: () => ({ bookings: DynamoDBDocumentClient.from(new DynamoDBClient({})) }),
    source: dynamoDbSource<Booking, Services>({
      tableName: () => process.env[BOOKINGS.variable] ?? '',
      query: ({ tick }) => ({
        IndexName: BOOKINGS.index.name,
        KeyConditionExpression: 'task = :task AND dueAt <= :now',
        ExpressionAttributeValues: { ':task': task, ':now': tick.scheduledTime },
      }),
    }),
    key: (booking) => booking.bookingId,
    group: (booking) => booking.organisation,
    handler: async (booking, { bookings, attempt, idempotencyKey }) => {
      sendMail(booking, text(booking), { attempt, idempotencyKey });
      await bookings.send(
        new UpdateCommand({
          TableName: process.env[BOOKINGS.variable],
          Key: { [BOOKINGS.partitionKey]: booking.bookingId },
          UpdateExpression: 'REMOVE task',
        }),
      );
    },
  });
}

export const reminder = bookingJob('reminder', (booking) => {
  return `Your journey to ${booking.destination} starts at ${booking.departsAt}.`;
});

export const feedback = bookingJob('feedback', (booking) => {
  return `How was your journey of ${booking.distanceMiles} miles to ${booking.destination}?`;
});
