/** The package as users install it: `npm run test:package`. */
const shared = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/package/**/*.package.ts'],
  globalSetup: '<rootDir>/test/package/global-setup.ts',
  globalTeardown: '<rootDir>/test/package/global-teardown.ts',
  verbose: true,
  // One app is synthesized, type-checked and tested in a minute at most; only what hangs comes near this.
  testTimeout: 180_000,
};
