import { runEsbuild } from '../../../lib/bundling/esbuild';

let thrown: Error;

jest.mock('esbuild', () => ({
  buildSync: () => {
    throw thrown;
  },
}));

const build = () => runEsbuild('job module', { write: false, metafile: true, absWorkingDir: __dirname });

describe('runEsbuild where esbuild has no binary', () => {
  it.each([
    'The package "@esbuild/linux-x64" could not be found, and is needed by esbuild.\n\nIf you are installing',
    "\nYou installed esbuild for another platform than the one you're currently using.\n",
    'Cannot start service: Host version "1.0.0" does not match binary version "2.0.0"',
    'spawnSync /nowhere/esbuild ENOENT',
  ])('B23: names esbuild, and how to get it: %s', (message) => {
    thrown = new Error(message);
    const line = message.trim().split('\n')[0] ?? '';
    expect(build).toThrow(
      expect.objectContaining({
        code: 'EsbuildMissing',
        message: expect.stringContaining(`received ${line}; allowed`) as string,
      }) as Error,
    );
  });

  it('passes on what has another cause', () => {
    thrown = new Error('Invalid option in buildSync() call: "metafle"');
    expect(build).toThrow(thrown);
  });
});
