/** The round trip through CloudFormation: `npm run test:deploy`. Each file deploys to a MiniStack of its own. */
const shared = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/deploy/**/*.deploy.ts'],
  // Steps wait for events; only what hangs comes near this.
  testTimeout: 240_000,
};
