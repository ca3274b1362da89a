import { CommanderError } from 'commander';
import { createProgram } from '../../../bin/cron-fanout';

/** Runs the command line in this process, up to where it would begin to work. */
async function refusal(...args: string[]): Promise<{ error: unknown; written: string }> {
  const program = createProgram();
  let written = '';
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeErr: (text) => (written += text), writeOut: (text) => (written += text) });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return { error, written };
  }
  throw new Error('the command line was accepted');
}

describe('the command line', () => {
  it.each([
    [['local', '--recods', '5'], "unknown option '--recods'\n(Did you mean --records?)"],
    [['local', '--sead', '5'], "unknown option '--sead'\n(Did you mean --seed?)"],
    [['locl'], "unknown command 'locl'\n(Did you mean local?)"],
    [['local', '--records'], "option '--records <number>' argument missing"],
    [['local', '5'], 'too many arguments'],
  ])('rejects %j with what may have been meant', async (args, text) => {
    const { error, written } = await refusal(...args);
    expect(error).toBeInstanceOf(CommanderError);
    expect(written).toContain(text);
  });

  it.each([
    ['--records', '0', '1 to 1000000'],
    ['--records', '1000001', '1 to 1000000'],
    ['--records', '1e3', '1 to 1000000'],
    ['--records', '-5', '1 to 1000000'],
    ['--seed', '1.5', '0 to 2147483647'],
    ['--seed', '2147483648', '0 to 2147483647'],
  ])('rejects %s %s with what is allowed', async (option, value, allowed) => {
    const { error } = await refusal('local', option, value);
    expect(error).toMatchObject({
      code: 'InvalidOption',
      message: expect.stringContaining(
        `${option}: received "${value}"; allowed: a whole number from ${allowed};`,
      ) as string,
    });
  });

  it('asks for a data module, since no default fits an app of its own', async () => {
    const { error } = await refusal('local');
    expect(error).toMatchObject({ code: 'MissingDataModule', message: expect.stringContaining('--data') as string });
  });

  it('says its version', async () => {
    const { written } = await refusal('--version');
    expect(written).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('rejects a data module that is not there with the path that was tried', async () => {
    const { error } = await refusal('local', '--data', 'nowhere.ts');
    expect(error).toMatchObject({
      code: 'DataModuleNotFound',
      message: expect.stringMatching(/tried \/.*nowhere\.ts/) as string,
    });
  });

  it('explains every option', async () => {
    const { written } = await refusal('local', '--help');
    for (const option of ['--records', '--seed', '--data', '--app', '--stack', '--fanout', '--json', '--keep-logs']) {
      expect(written).toMatch(new RegExp(`${option}\\b.* {2}\\w`));
    }
  });
});
