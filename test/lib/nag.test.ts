import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Stage, Validations } from 'aws-cdk-lib';
import type { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IConstruct, MetadataEntry } from 'constructs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { BookingsStack } from '../../examples/bookings/stack';
import { CronFanout, CronFanoutShared } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { ENTRY, MINIMAL, testApp, testStack } from './fanout-stack';
import { holdBlock, markdownTable } from './permissions/markdown';

const FOLDER = join(__dirname, '..', '..', 'examples');
const EXAMPLES = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
);

/** The stacks that an example exports. */
function stacksOf(example: string): Readonly<Record<string, new (scope: App, id: string) => Stack>> {
  return jest.requireActual(join(FOLDER, example, 'stack'));
}

/** What the packs find in an app, as `construct path: rule`. */
function findings(app: IConstruct): string[] {
  return [new AwsSolutionsChecks(), new ServerlessChecks()]
    .flatMap((pack) => pack.validateScope(app).violations)
    .flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${constructPath ?? ''}: ${ruleName}`),
    )
    .sort();
}

/** A fanout with everything that adds a resource or a permission. */
function everyOption(stack: Stack, more: Partial<CronFanoutProps> = {}): CronFanout {
  const encryptionKey = new Key(stack, 'Key', { enableKeyRotation: true });
  return new CronFanout(stack, 'Reminders', {
    entry: ENTRY,
    schedule: ScheduleExpression.rate(Duration.hours(1)),
    encryptionKey,
    vpc: Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['a', 'b'],
      privateSubnetIds: ['subnet-1', 'subnet-2'],
      privateSubnetRouteTableIds: ['table-1', 'table-2'],
    }),
    secrets: {
      DB: Secret.fromSecretNameV2(stack, 'Secret', 'database'),
      API: new Secret(stack, 'Api', { encryptionKey }) as ISecret,
    },
    tracing: Tracing.ACTIVE,
    pointInTimeRecovery: true,
    reservedConcurrentExecutions: 10,
    ...more,
  });
}

const below = (path: string, found: readonly string[]): string[] => found.filter((text) => text.startsWith(`${path}/`));

/** Rules that are acknowledged at a construct, with the reason. */
function reasonsOf(metadata: readonly MetadataEntry[]): [string, string][] {
  return metadata
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.entries(data as Readonly<Record<string, string>>))
    .map(([id, reason]) => [id.replace(/^annotation::/i, ''), reason]);
}

/** The acknowledgements below a construct, in the form of {@link findings}. */
function acknowledged(fanout: CronFanout): string[] {
  return fanout.node
    .findAll()
    .flatMap(({ node }) => reasonsOf(node.metadata).map(([id]) => `${node.path}: ${id}`))
    .sort();
}

describe('the AwsSolutions and Serverless packs of cdk-nag', () => {
  it.each(EXAMPLES)('pass on examples/%s, as they are registered by users', (example) => {
    const app = testApp();
    const stacks = Object.entries(stacksOf(example));
    expect(stacks.length).toBeGreaterThan(0);
    stacks.forEach(([name, ExampleStack]) => new ExampleStack(app, name));
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).not.toThrow();
    expect(findings(app)).toEqual([]);
  });

  it('control: stop an app in which there is something to find', () => {
    const app = testApp();
    const stack = new BookingsStack(app, 'CronFanoutBookings');
    const [jobs] = stack.node.findAll().filter((child) => CronFanout.isCronFanout(child));
    jobs!.scanner.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).toThrow(/validation/i);
  });

  it('find in a fanout with all defaults that it is not traced, which is for the user to say', () => {
    const stack = testStack();
    new CronFanout(stack, 'Reminders', MINIMAL);
    expect(findings(stack.node.root)).toEqual([
      'Bookings/Reminders/Consumer/Resource: Serverless-LambdaTracing',
      'Bookings/Reminders/Scanner/Resource: Serverless-LambdaTracing',
    ]);
  });

  it('pass on a fanout with every option', () => {
    const stack = testStack();
    everyOption(stack);
    expect(below('Bookings/Reminders', findings(stack.node.root))).toEqual([]);
  });

  it.each([false, true])('pass on what fanouts share, encrypted: %s', (encrypted) => {
    const stack = testStack();
    const key = encrypted ? { encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }) } : {};
    const shared = new CronFanoutShared(stack, 'Shared', key);
    new CronFanout(stack, 'Reminders', { ...MINIMAL, ...key, shared, tracing: Tracing.ACTIVE });
    expect(findings(stack)).toEqual([]);
  });

  it('pass on a fanout with roles that are brought, and find nothing of ours in them', () => {
    const stack = testStack();
    const role = (id: string): Role => new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    everyOption(stack, { scannerRole: role('Finding'), consumerRole: role('Handling'), scheduleRole: role('Firing') });
    const found = findings(stack.node.root);
    for (const id of ['Reminders', 'Finding', 'Handling', 'Firing']) {
      expect(below(`Bookings/${id}`, found)).toEqual([]);
    }
  });
});

describe('acknowledgements', () => {
  it.each([
    [
      'with all defaults',
      (stack: Stack) => new CronFanout(stack, 'Reminders', { ...MINIMAL, tracing: Tracing.ACTIVE }),
    ],
    ['with every option', everyOption],
  ])('are for just what is found without them, in a fanout %s', (_, make) => {
    const ours = acknowledged(make(testStack()));
    expect(ours.length).toBeGreaterThan(5);
    const acknowledge = jest.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
    try {
      const stack = testStack();
      make(stack);
      expect(below('Bookings/Reminders', findings(stack.node.root))).toEqual(ours);
    } finally {
      acknowledge.mockRestore();
    }
  });

  it('are of our own resources: what a user allows on all resources is still found', () => {
    const stack = testStack();
    const fanout = everyOption(stack);
    fanout.scanner.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: ['*'] }));
    expect(below('Bookings/Reminders', findings(stack.node.root))).toEqual([
      'Bookings/Reminders/ScannerRole/DefaultPolicy/Resource: AwsSolutions-IAM5[Resource::*]',
    ]);
  });

  it('are listed in docs/security.md, each with its reason', () => {
    const stack = testStack();
    const fanout = everyOption(stack);
    const rows = fanout.node.findAll().flatMap(({ node }) =>
      reasonsOf(node.metadata).map(([id, reason]) => [
        `\`${node.path
          .split('/')
          .slice(2, -1)
          .join('/')
          .replace(/^\w/, (letter) => letter.toLowerCase())}\``,
        id,
        reason,
      ]),
    );
    const table = [
      ['of', 'finding', 'why it is mistaken'],
      ...rows.toSorted((one, other) => (one.join() < other.join() ? -1 : 1)),
    ];
    holdBlock(join(__dirname, '..', '..', 'docs', 'security.md'), 'acknowledgements', markdownTable(table).join('\n'));
  });

  it('say why', () => {
    const fanout = everyOption(testStack());
    const reasons = fanout.node.findAll().flatMap(({ node }) => reasonsOf(node.metadata));
    expect(reasons.length).toBeGreaterThan(5);
    for (const [, reason] of reasons) {
      expect(reason.length).toBeGreaterThan(40);
    }
  });

  it('leave the template as it is, and warn of nothing where there is no cdk-nag', () => {
    const stack = testStack();
    everyOption(stack);
    const assembly = Stage.of(stack)!.synth();
    expect(JSON.stringify(assembly.getStackByName('Bookings').template)).not.toContain('cdk_nag');
    expect(assembly.getStackByName('Bookings').messages).toEqual([]);
  });
});
