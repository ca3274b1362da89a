import { runEsbuild } from '../../../lib/bundling/esbuild';

jest.mock('esbuild', () => {
  throw new Error("Cannot find module 'esbuild'\nRequire stack:\n- somewhere");
});

describe('runEsbuild', () => {
  it('B23: names esbuild, and how to get it, where it is missing', () => {
    const build = () => runEsbuild('job module', { write: false, metafile: true, absWorkingDir: __dirname });
    expect(build).toThrow(
      expect.objectContaining({
        code: 'EsbuildMissing',
        message: expect.stringMatching(
          /^esbuild, .*received Cannot find module 'esbuild'; .*--omit=optional.*npm install esbuild/,
        ) as string,
      }) as Error,
    );
  });
});
