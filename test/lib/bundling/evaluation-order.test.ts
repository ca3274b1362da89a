import { join } from 'node:path';
import { bundleInto, invoke, readTree, temporaryProject } from './temporary-project';

describe('the order in which modules are evaluated', () => {
  const SETTINGS = `export const settings = (globalThis as { configured?: string }).configured ?? 'too early';`;
  const LAZY = `import { settings } from './settings'; export const lazy = settings;`;

  it('is that of the source, though a dynamic import shares a module', () => {
    const project = temporaryProject({
      'jobs.ts': `import './configure'; import { settings } from './settings';
export default { jobType: 'a', handler: async () => [settings, (await import('./lazy')).lazy] };`,
      'configure.ts': `(globalThis as { configured?: string }).configured = 'configured';`,
      'settings.ts': SETTINGS,
      'lazy.ts': LAZY,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: ['configured', 'configured'] });
    expect(Object.keys(readTree(directory))).toEqual(['index.mjs', 'index.mjs.map']);
  });

  it('is that of the source for a CommonJS package that configures', () => {
    const project = temporaryProject({
      'jobs.ts': `import 'configure'; import { settings } from './settings';
export default { jobType: 'a', handler: async () => [settings, (await import('./lazy')).lazy] };`,
      'node_modules/configure/package.json': '{ "name": "configure", "main": "index.js" }',
      'node_modules/configure/index.js': `require('./set')('configured');`,
      'node_modules/configure/set.js': `module.exports = (value) => { globalThis.configured = value; };`,
      'settings.ts': SETTINGS,
      'lazy.ts': LAZY,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: ['configured', 'configured'] });
  });

  it('leaves dynamic imports in files of their own where it is kept anyway', () => {
    const project = temporaryProject({
      'jobs.ts': `import { shared } from './shared'; import { pure } from 'pure';
export default { jobType: 'a', handler: async () => [shared, pure, (await import('./lazy')).lazy] };`,
      'node_modules/pure/package.json': '{ "name": "pure", "module": "index.js", "sideEffects": false }',
      'node_modules/pure/index.js': `export const pure = 'pure';`,
      'shared.ts': `import { pure } from 'pure'; export const shared = ['shared', pure];`,
      'lazy.ts': `import { shared } from './shared'; export const lazy = shared;`,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') }, { sourceMap: false });
    expect(Object.keys(readTree(directory))).toEqual(['chunk-00000001.mjs', 'index.mjs', 'lazy-00000002.mjs']);
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({
      handled: [['shared', 'pure'], 'pure', ['shared', 'pure']],
    });
  });
});
