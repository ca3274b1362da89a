import type { SqsBatchResponse, SqsEvent } from './sqs-event';
import { createRuntime } from '../adapters/runtime';
import { JobSetup } from '../job/environment';
import { ErrorTexts } from '../job/error-texts';
import { collectJobs } from '../job/registry';
import { TellingLogger } from '../job/telling-logger';
import { Consumer } from './consumer';
import type { InvocationContext } from './options';

/** The Lambda handler of a consumer. */
export type ConsumerHandler = (event: SqsEvent, context: InvocationContext) => Promise<SqsBatchResponse>;

/**
 * Makes the Lambda handler of the consumer for a job module. Called once per execution environment, while the bundle is loaded.
 *
 * @throws CronFanoutError where the module exports no job, or the environment is not the one that the construct sets
 */
export function createConsumerHandler(jobModule: Readonly<Record<string, unknown>>): ConsumerHandler {
  const jobs = collectJobs(jobModule);
  const { deadLetterQueue, ...runtime } = createRuntime();
  const errors = new ErrorTexts(jobs, runtime.secrets.mask);
  const consumer = new Consumer({
    ...runtime,
    jobs,
    deadLetterQueue: deadLetterQueue(),
    errors,
    setup: new JobSetup(jobs, { ...runtime, logger: new TellingLogger(runtime.logger, errors) }),
    exit: () => process.exit(1),
  });
  return (event, context) => consumer.handle(event, context);
}
