import { createConsumerHandler } from '../../../lambda/consumer/entry';
import { ENVIRONMENT } from '../../../lambda/contract';
import { CONFIGURATION, FANOUT, job, message } from './harness';

const VARIABLES = {
  [ENVIRONMENT.fanoutId]: FANOUT,
  [ENVIRONMENT.stateTable]: 'state',
  [ENVIRONMENT.queueUrl]: 'http://127.0.0.1:1/0/work.fifo',
  [ENVIRONMENT.deadLetterQueueUrl]: 'http://127.0.0.1:1/0/dead.fifo',
  [ENVIRONMENT.configuration]: JSON.stringify(CONFIGURATION),
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};

afterEach(() => {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- the environment of other tests has none of them
  Object.keys(VARIABLES).forEach((name) => delete process.env[name]);
});

test('the handler answers a batch from its environment variables alone', async () => {
  Object.assign(process.env, VARIABLES);
  const handler = createConsumerHandler({ default: job(() => undefined) });
  const context = { getRemainingTimeInMillis: () => 10_000 };
  await expect(handler({ Records: [] }, context)).resolves.toEqual({ batchItemFailures: [] });
  const unreadable = message({ body: '{oops' });
  await expect(handler({ Records: [unreadable] }, context)).resolves.toEqual({
    batchItemFailures: [{ itemIdentifier: unreadable.messageId }],
  });
});

test('a bundle without its environment fails when it is loaded, and names what is missing', () => {
  expect(() => createConsumerHandler({ default: job(() => undefined) })).toThrow(ENVIRONMENT.fanoutId);
  expect(() => createConsumerHandler({})).toThrow('NoJobs');
});
