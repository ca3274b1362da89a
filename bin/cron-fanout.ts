#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { CronFanoutError } from '../lambda/contract';
import { localCommand } from './cli/local';

/** By the package's own name: sources and build output lie at different depths below its package.json. */
const { version } = createRequire(__filename)('cron-fanout/package.json') as { version: string };

/** The command line of the package. */
export function createProgram(): Command {
  return new Command('cron-fanout')
    .description('Every N minutes, find the records that are due and handle each one.')
    .version(version)
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the commands and options)')
    .addCommand(localCommand());
}

async function main(): Promise<void> {
  // The SDK's notice about Node.js versions of the future helps nobody who wants to see a run.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      process.stderr.write(`${textOf(error)}\n`);
    }
    process.exitCode = 1;
  }
}

/** What the user can act on, without a stack; for anything unforeseen, all there is. */
function textOf(error: unknown): string {
  if (error instanceof CronFanoutError) {
    return `error: ${error.message}`;
  }
  return error instanceof Error
    ? `internal error: ${error.stack ?? error.message}`
    : `internal error: ${String(error)}`;
}

if (require.main === module) {
  void main();
}
