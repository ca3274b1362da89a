import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CronFanout } from '../../../lib';
import { MINIMAL, testApp, testStack } from '../fanout-stack';
import type { Grant } from './grants';
import { TemplatePolicies } from './grants';
import { holdBlock, markdownTable } from './markdown';
import { readmeTable } from './readme-table';
import { fanoutOf, policiesOf, SCENARIOS } from './scenarios';

const ROOT = join(__dirname, '..', '..', '..');
const REVIEWED = join(__dirname, 'reviewed.md');
const PAGES = ['README.md', 'docs/security.md'];

const rowsOf = (grants: readonly Grant[]): string[][] =>
  grants
    .map(({ who, effect, actions, resources, condition }) => [
      who,
      `${effect === 'Deny' ? '**not** ' : ''}${actions.join(', ')}`,
      resources.join(', '),
      condition,
    ])
    .toSorted((one, other) => (one.join() < other.join() ? -1 : 1));

const section = (title: string, policies: TemplatePolicies): string[] => [
  `## ${title}`,
  '',
  'Roles may:',
  '',
  ...markdownTable([['role', 'actions', 'on', 'if'], ...rowsOf(policies.ofRoles())]),
  '',
  'Roles may be assumed by:',
  '',
  ...markdownTable([['who', 'action', 'role', 'if'], ...rowsOf(policies.ofTrust())]),
  '',
  'Resources allow and refuse:',
  '',
  ...markdownTable([['who', 'actions', 'on', 'if'], ...rowsOf(policies.ofResources())]),
  '',
];

function reviewed(): string {
  return [
    '# Who may do what',
    '',
    'Derived from synthesized templates, and reviewed: `permissions.test.ts` compares the two. `F` is the id of the fanout. After a change,',
    '`UPDATE_DOCS=1 npx jest test/lib/permissions` writes this page, README and docs/security.md; look at the difference.',
    '',
    ...Object.entries(SCENARIOS).flatMap(([title, make]) => section(title, policiesOf(make))),
  ].join('\n');
}

describe('who may do what', () => {
  it('is what was reviewed', () => {
    const derived = reviewed();
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(REVIEWED, derived);
    }
    expect(derived).toBe(readFileSync(REVIEWED, 'utf8'));
  });

  it.each(PAGES)('is what %s says', (page) => {
    holdBlock(join(ROOT, page), 'permissions', readmeTable());
  });

  it('control: tells when a role may do one thing more', () => {
    const rows = (change: (fanout: CronFanout) => void): string[] => {
      const stack = testStack();
      change(new CronFanout(stack, 'Fanout', MINIMAL));
      return rowsOf(new TemplatePolicies(stack).ofRoles()).map((row) => row.join(' '));
    };
    const before = rows(() => undefined);
    const after = rows(({ scanner }) => {
      scanner.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
    });
    expect(after.filter((row) => !before.includes(row))).toEqual(['Fanout/ScannerRole s3:GetObject * ']);
  });
});

describe.each(Object.entries(SCENARIOS))('roles and resources: %s', (_, make) => {
  const policies = policiesOf(make);
  const roles = policies.ofRoles();
  const allowed = roles.filter(({ effect }) => effect === 'Allow');

  it('allow nothing on all resources but what AWS has no other way for', () => {
    const broad = allowed.filter(({ resources }) => resources.some((on) => on === '*'));
    const actions = broad.flatMap((grant) => grant.actions);
    expect(
      actions.filter(
        (action) => !/^(ec2:\w*(NetworkInterfaces?|Subnets|PrivateIpAddresses)|xray:Put\w+)$/.test(action),
      ),
    ).toEqual([]);
  });

  it('name every action of a role', () => {
    expect(roles.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
  });

  it('let no role read all of a table, nor touch an item that is not of the fanout', () => {
    const table = allowed.filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));
    expect(table).toHaveLength(2);
    for (const { actions, condition } of table) {
      expect(actions.filter((action) => /Scan|PartiQL|Transact|Table|Stream/.test(action))).toEqual([]);
      expect(condition).toBe(
        'dynamodb:LeadingKeys ForAllValues:StringLike F or F#*; and dynamodb:LeadingKeys Null false',
      );
    }
  });

  it('let only the scanner and the Scheduler call the scanner', () => {
    const invoking = allowed.filter(({ actions }) => actions.includes('lambda:InvokeFunction'));
    expect(invoking.map(({ who, resources }) => [who.replace(/.*(Scanner|Schedule)Role$/, '$1'), resources])).toEqual([
      ['Schedule', ['Fanout/Scanner']],
      ['Scanner', ['Fanout/Scanner']],
    ]);
  });

  it('are templates in which the CDK has nothing to find fault with', () => {
    const app = testApp({ builtinCloudFormationValidation: true });
    fanoutOf(make, testStack({}, app));
    app.synth();
    const report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')) as object;
    expect(report).toMatchObject({ pluginReports: [] });
  });

  it('allow no other account and nobody in public', () => {
    const principals = [...policies.ofTrust(), ...policies.ofResources()].filter(({ effect }) => effect === 'Allow');
    expect(principals.map(({ who }) => who).filter((who) => who === '*' || /iam::(?!<AccountId>)/.test(who))).toEqual(
      [],
    );
  });
});
