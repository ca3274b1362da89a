import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { CronFanoutError } from '../../lambda/contract';
import { listenForInterruption } from '../cli/interruption';

/** What a tool answers: whether all is well. */
export type Verdict = boolean;

/**
 * Runs a tool of the simulation from its command line. Its exit code is 0 where all is well, 1 where it is not or where an option is wrong, and that of the signal where one ended it.
 *
 * @param program the options; its name is how npm calls it
 * @param work is given a signal that fires with Ctrl-C
 */
export async function runTool(program: Command, work: (signal: AbortSignal) => Promise<Verdict>): Promise<void> {
  const interruption = listenForInterruption((exitCode) => process.exit(exitCode));
  try {
    program.exitOverride().configureOutput({ outputError: () => undefined });
    await program.allowExcessArguments(false).parseAsync();
    const isWell = await work(interruption.signal);
    process.exitCode = interruption.exitCode() ?? (isWell ? 0 : 1);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) {
      return;
    }
    process.stderr.write(`error: ${messageOf(error, program)}\n`);
    process.exitCode = interruption.exitCode() ?? 1;
  } finally {
    interruption.dispose();
  }
}

function messageOf(error: unknown, program: Command): string {
  if (error instanceof CommanderError) {
    return new CronFanoutError('InvalidOption', {
      what: `options of npm run ${program.name()}`,
      received: error.message.replace(/^error: /, '').replaceAll('\n', ' '),
      allowed: program.options.map(({ flags }) => flags).join(', '),
      change: `see npm run ${program.name()} -- --help`,
    }).message;
  }
  if (error instanceof CronFanoutError) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
