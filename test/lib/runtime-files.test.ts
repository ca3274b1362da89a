import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { runtimeFiles } from '../../lib/runtime-files';

describe('runtimeFiles', () => {
  it('names the sources when the package runs from its sources', () => {
    const { scanner, consumer, api } = runtimeFiles();
    expect(scanner.endsWith(join('lambda', 'scanner', 'entry.ts'))).toBe(true);
    expect([scanner, consumer, ...Object.values(api)].filter((file) => !existsSync(file))).toEqual([]);
  });

  it('names what the build makes when it runs from that, whatever is on the disk', () => {
    const installed = join(sep, 'app', 'node_modules', 'cron-fanout', 'dist');
    expect(runtimeFiles(join(installed, 'lib', 'runtime-files.js'))).toEqual({
      root: installed,
      scanner: join(installed, 'runtime', 'scanner.mjs'),
      consumer: join(installed, 'runtime', 'consumer.mjs'),
      api: { job: join(installed, 'lambda', 'job', 'index.js') },
    });
  });
});
