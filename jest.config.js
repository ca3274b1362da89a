/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/examples/**/*.test.ts'],
  transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  snapshotSerializers: ['<rootDir>/test/setup/asset-hashes.ts'],
  setupFiles: ['<rootDir>/test/setup/environment.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/cdk.out/'],
  maxWorkers: 2,
  // Not an assertion: a busy machine must not fail a test that only needs more time.
  testTimeout: 60_000,
  errorOnDeprecated: true,
};
