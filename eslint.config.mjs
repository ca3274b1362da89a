import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'cdk.out/', 'coverage/', 'node_modules/', '.ministack/', '.elasticmq/', 'test/**/fixtures/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // CDK constructs are created for their effect on the tree.
    files: ['lib/**/*.ts', 'bin/app.ts', 'examples/**/*.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off', 'no-new': 'off' },
  },
  {
    files: ['lambda/**/*.ts'],
    rules: {
      // Time and randomness come in through ports; adapters and the local clock are the only readers of the real ones.
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'read the Clock port' },
        { object: 'Math', property: 'random', message: 'read the Randomness port' },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'use the Clock port' },
        { name: 'setInterval', message: 'use the Clock port' },
        { name: 'setImmediate', message: 'use the Clock port' },
      ],
    },
  },
  {
    files: ['lambda/adapters/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-globals': 'off' },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.test.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  { files: ['**/*.{js,mjs,cjs}'], extends: [tseslint.configs.disableTypeChecked] },
);
