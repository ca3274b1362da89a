/** The round trip through CloudFormation: `npm run test:deploy`. Each file deploys to a MiniStack of its own. */
const shared = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/deploy/**/*.deploy.ts'],
  globalSetup: '<rootDir>/test/deploy/global-setup.ts',
  globalTeardown: '<rootDir>/test/deploy/global-teardown.ts',
  // Steps wait for events; only what hangs comes near this.
  testTimeout: 420_000,
};
