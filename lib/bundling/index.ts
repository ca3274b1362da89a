/**
 * Turns a job module into the code of the two functions.
 *
 * @module
 */
import { dirname } from 'node:path';
import { Annotations, Stack } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { runtimeFiles } from '../runtime-files';
import type { RuntimeFiles } from '../runtime-files';
import { skippedCode, writtenCode } from './asset';
import { findEntry } from './entry';
import { functionContent, writeContent } from './content';
import { knownJobTypes } from './find-jobs';
import type { BundlingOptions, JobSource, Role } from './options';

export { checkJobOptions } from './job-checks';
export { JobCode } from './job-code';
export type { JobCodeOptions } from './job-code';
export type { BundlingOptions, JobSource } from './options';

/** The code of the two functions of a fanout. */
export interface BundledJobs {
  readonly scanner: Code;
  readonly consumer: Code;
  /** Handler of both functions. */
  readonly handler: string;
  /** Types of the jobs; `undefined` where they are not all known without running the module, or where nothing is bundled. */
  readonly jobTypes: readonly string[] | undefined;
}

/**
 * Bundles a job module with the runtime, once per process for the same source and options; when the CDK skips the bundling of the stack, not at all.
 *
 * @param scope construct that the code belongs to; warnings are attached to it
 * @throws CronFanoutError `EntryNotFound`, `EsbuildMissing`, `BundlingFailed`, `CdkInJobModule`, `PackageNotFound`, `NoJobs`, `InvalidJobType`, `DuplicateJobType` or `DuplicateAlias`
 */
export function bundleJobs(scope: Construct, source: JobSource, options: BundlingOptions = {}): BundledJobs {
  const code = bundleJobsWith(runtimeFiles(), scope, source, options);
  return { ...code, jobTypes: Stack.of(scope).bundlingRequired ? knownJobTypes(source, options) : undefined };
}

/** {@link bundleJobs} with the runtime's files given; the jobs are not looked for. */
export function bundleJobsWith(
  runtime: RuntimeFiles,
  scope: Construct,
  source: JobSource,
  options: BundlingOptions,
): Omit<BundledJobs, 'jobTypes'> {
  const code = (role: Role): Code => roleCode(role, runtime, scope, source, options);
  return { scanner: code('scanner'), consumer: code('consumer'), handler: 'index.handler' };
}

function roleCode(
  role: Role,
  runtime: RuntimeFiles,
  scope: Construct,
  source: JobSource,
  options: BundlingOptions,
): Code {
  const directory = source.code === undefined ? dirname(findEntry(source.entry).file) : source.code.directory;
  if (!Stack.of(scope).bundlingRequired) {
    return skippedCode(directory, [role, scope.node.path]);
  }
  const content = functionContent(role, runtime, source, options);
  for (const warning of content.warnings) {
    Annotations.of(scope).addWarningV2('cron-fanout:bundling', warning);
  }
  return writtenCode(directory, [content.digest], (to) => {
    writeContent(content, to);
  });
}
