/** The import rules of docs/decisions/0001-layout.md, checked by `npm run check:imports`. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: allowed },
});
const NODE_AND_TYPES = '^(node:)?[a-z_/]+$|node_modules/@types/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('contract-imports-nothing', '^lambda/contract/', '^lambda/contract/'),
    only('schedule-imports-itself', '^lambda/schedule/', `^lambda/(schedule|contract)/|${NODE_AND_TYPES}`),
    {
      name: 'lambda-imports-itself',
      severity: 'error',
      from: { path: '^lambda/' },
      to: { path: '^(lib|bin|examples|test)/|node_modules/(aws-cdk-lib|constructs|esbuild|commander|dynalite)/' },
    },
    {
      name: 'lib-names-runtime-files-by-path',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(bin|examples|test)/|^lambda/(?!contract/|schedule/)' },
    },
    {
      name: 'deployed-code-holds-no-simulation',
      severity: 'error',
      from: { path: '^lambda/(?!simulation/)' },
      to: { path: '^lambda/simulation/' },
    },
    {
      name: 'policy-does-no-io',
      comment: 'Policies talk to ports; only adapters and entries know the SDK.',
      severity: 'error',
      from: { path: '^lambda/(contract|ports|job|ledger|scanner|consumer|simulation)/', pathNot: '/entry\\.ts$' },
      to: { path: 'node_modules/@aws-(sdk|lambda-powertools)/|^lambda/adapters/' },
    },
    {
      name: 'examples-use-public-entry-points',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(bin|test)/|^(lib|lambda)/(?!index\\.ts|job/index\\.ts|simulation/index\\.ts)' },
    },
    {
      name: 'no-test-imports',
      severity: 'error',
      from: { path: '^(bin|lib|lambda|examples)/' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'] },
  },
};
