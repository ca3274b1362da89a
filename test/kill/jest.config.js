/** SIGKILL in the midst of runs: `npm run test:kill`. Each file starts the embedded services and function processes of its own. */
const shared = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/kill/**/*.kill.ts'],
};
