import { Lazy, Stack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { FanoutConfiguration } from '../lambda/contract';
import { queueAsSynthesized } from './queue-settings';

/**
 * What the functions are told, as JSON. It is made when the app is synthesized, after aspects, mixins and escape hatches: a consumer that counted on other receives or another retention than
 * its queue has would settle records too late.
 */
export function functionConfiguration(scope: Construct, configuration: FanoutConfiguration, queue: IQueue): string {
  return Lazy.uncachedString({
    produce: () => Stack.of(scope).toJsonString({ ...configuration, ...queueAsSynthesized(queue, configuration) }),
  });
}
