import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { CronFanoutError } from '../../lambda/contract';

/**
 * Code that this process writes itself when the CDK asks for it. Docker is never used: the provider always answers.
 *
 * @param sourceDirectory any existing directory; the CDK wants one, and reads nothing of it
 * @param identity tells assets of one directory apart; ends up in the hash of an asset whose bundling is skipped, so it holds no absolute path then
 * @param write fills the directory of the asset
 */
export function writtenCode(sourceDirectory: string, identity: readonly string[], write: (to: string) => void): Code {
  return Code.fromAsset(sourceDirectory, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('cron-fanout-bundles-in-process'),
      command: [...identity],
      local: {
        tryBundle: (outputDirectory) => {
          write(outputDirectory);
          return true;
        },
      },
    },
  });
}

/** Code of a stack whose bundling the CDK skips: nothing is built, read or hashed. */
export function skippedCode(sourceDirectory: string, identity: readonly string[]): Code {
  return writtenCode(sourceDirectory, identity, () => {
    throw new CronFanoutError('BundlingSkipped', {
      what: 'bundling of a stack',
      received: 'a request for its code',
      allowed: 'a stack whose bundling the CDK was told to skip (context aws:cdk:bundling-stacks)',
      change: 'set that context before the construct is made',
    });
  });
}
