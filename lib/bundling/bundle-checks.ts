import { CronFanoutError } from '../../lambda/contract';
import type { Bundle } from './bundle';
import type { Entry } from './entry';

/**
 * A job module that reaches the CDK, mostly through a constant of a stack's file, would put tens of megabytes into every function.
 *
 * @throws CronFanoutError `CdkInJobModule`
 */
export function refuseCdk(entry: Entry, inputs: readonly string[]): void {
  const found = inputs.find((input) => /^node_modules\/(aws-cdk-lib|constructs)\//.test(input));
  if (found !== undefined) {
    throw new CronFanoutError('CdkInJobModule', {
      what: `job module ${entry.file}`,
      received: `an import that leads to ${found}`,
      allowed: 'a module that does not import the CDK, not even through other modules',
      change: 'move what the job module and the stack share into a module of its own, or use `import type`',
    });
  }
}

/** What bundles without an error, and may still not do what was meant. */
export function doubtsAbout(bundle: Bundle): readonly string[] {
  return [...splitSdk(bundle), ...missingMetadata(bundle)];
}

/** The SDK's two halves are released together: one bundled and one from elsewhere drift apart. */
function splitSdk({ inputs, imports }: Bundle): readonly string[] {
  const isExternal = (scope: string): boolean => imports.some((name) => name.startsWith(scope));
  const isBundled = (scope: string): boolean => inputs.some((input) => input.startsWith(`node_modules/${scope}`));
  return (isExternal('@aws-sdk/') && isBundled('@smithy/')) || (isExternal('@smithy/') && isBundled('@aws-sdk/'))
    ? ['bundling.externalModules holds one of @aws-sdk/* and @smithy/*, and the other is bundled: name both or neither']
    : [];
}

/** esbuild leaves `emitDecoratorMetadata` out without a word; whoever injects by type then gets `undefined`. */
function missingMetadata({ inputs }: Bundle): readonly string[] {
  return inputs.some((input) => input.startsWith('node_modules/reflect-metadata/'))
    ? [
        'the job module uses reflect-metadata, and esbuild emits no decorator metadata: what is injected by its type would be undefined. ' +
          'Build the module with tsc or swc and give it as `code: JobCode.fromDirectory(...)`, or acknowledge this where every token is explicit',
      ]
    : [];
}
