import { CfnParameter, Duration } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { ApplicationLogLevel, Architecture, Runtime, RuntimeFamily } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CronFanout } from '../../lib';
import { MINIMAL, resource, statements, synthesized, testApp, testStack, thrownBy } from './fanout-stack';
import type { Resource } from './fanout-stack';

const FUNCTION = 'AWS::Lambda::Function';
/** A logical id is a path and eight digits; the role of a function begins alike. */
const scannerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersScanner');
const consumerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersConsumer');
const variablesOf = ({ Properties }: Resource): Readonly<Record<string, unknown>> =>
  (Properties.Environment as { readonly Variables: Readonly<Record<string, unknown>> }).Variables;

const standard = synthesized();

describe('the environment', () => {
  it('has what the user wants in it, in both functions', () => {
    const { template } = synthesized({ environment: { STAGE: 'test', NODE_OPTIONS: '--max-old-space-size=400' } });
    for (const made of [scannerOf(template), consumerOf(template)]) {
      expect(variablesOf(made)).toMatchObject({
        STAGE: 'test',
        NODE_OPTIONS: '--max-old-space-size=400 --enable-source-maps',
      });
    }
  });

  it('names source maps once', () => {
    const { template } = synthesized({ environment: { NODE_OPTIONS: '--enable-source-maps --trace-warnings' } });
    expect(variablesOf(scannerOf(template)).NODE_OPTIONS).toBe('--enable-source-maps --trace-warnings');
  });

  it.each([
    'CRON_FANOUT_ID',
    'CRON_FANOUT_ANYTHING',
    'AWS_REGION',
    'AWS_LAMBDA_LOG_GROUP_NAME',
    '_HANDLER',
    'A-B',
    '1A',
    '',
  ])('rejects the name %j', (name) => {
    const error = thrownBy(() => synthesized({ environment: { [name]: 'x' } }));
    expect(error.code).toBe('InvalidEnvironmentName');
    expect(error.message).toContain(`received ${JSON.stringify(name)}`);
  });

  /** Bytes that a variable of the user can have beside the fanout's own, in the consumer. */
  const room = 4096 - known(variablesOf(consumerOf(standard.template))) - 'LARGE'.length;

  it('fits into 4 KB to the byte', () => {
    expect(() => synthesized({ environment: { LARGE: 'x'.repeat(room) } })).not.toThrow();
    expect(() => synthesized({ environment: { LARGE: 'x'.repeat(room + 1) } })).toThrow(
      /environment of Bookings\/Reminders\/Consumer: received 4097 bytes or more \(LARGE: \d+/,
    );
  });

  it('is measured at synth time, with what was added later, in bytes', () => {
    const stack = testStack();
    const { scanner } = new CronFanout(stack, 'Reminders', MINIMAL);
    scanner.addEnvironment('LARGE', 'ü'.repeat(2048));
    expect(() => Template.fromStack(stack)).toThrow(/environment of Bookings\/Reminders\/Scanner/);
  });

  it('takes what is not known at synth time for nothing', () => {
    const stack = testStack();
    const parameter = new CfnParameter(stack, 'Long');
    expect(() => synthesized({ environment: { LONG: `${parameter.valueAsString}-suffix` } }, stack)).not.toThrow();
  });
});

describe('secrets', () => {
  it('are named to both functions, which may read them', () => {
    const stack = testStack();
    const secret = new Secret(stack, 'Database') as ISecret;
    const { template } = synthesized({ secrets: { DB: secret } }, stack);
    for (const [made, role] of [
      [scannerOf(template), 'RemindersScannerRole'],
      [consumerOf(template), 'RemindersConsumerRole'],
    ] as const) {
      expect(variablesOf(made).CRON_FANOUT_SECRETS).toEqual({
        'Fn::Join': ['', ['{"DB":"', { Ref: expect.stringMatching(/^Database/) as unknown }, '"}']],
      });
      expect(statements(template, role)).toContainEqual({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [{ Ref: expect.stringMatching(/^Database/) as unknown }],
      });
    }
  });

  it('are refused without a name', () => {
    const stack = testStack();
    const error = thrownBy(() => synthesized({ secrets: { ' ': new Secret(stack, 'Database') as ISecret } }, stack));
    expect(error.code).toBe('InvalidSecretName');
  });
});

describe('logs', () => {
  it.each([true, false])('B18: have one group per function, with the feature flag for it %s', (flag) => {
    const app = testApp({ context: { '@aws-cdk/aws-lambda:useCdkManagedLogGroup': flag } });
    const { template } = synthesized({ logRetention: RetentionDays.ONE_WEEK }, testStack({}, app));
    template.resourceCountIs('AWS::Logs::LogGroup', 2);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7, LogGroupName: Match.absent() });
    template.resourceCountIs('Custom::LogRetention', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('/aws/lambda/');
  });

  it('are kept for a month, longer than any record takes', () => {
    standard.template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });
});

describe('properties of both functions', () => {
  it('are those that the user chooses', () => {
    const { template } = synthesized({
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      scannerMemorySize: 2048,
      scannerTimeout: Duration.minutes(5),
      logLevel: ApplicationLogLevel.DEBUG,
    });
    template.allResourcesProperties(FUNCTION, {
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      LoggingConfig: { ApplicationLogLevel: 'DEBUG' },
    });
    expect(scannerOf(template).Properties).toMatchObject({ MemorySize: 2048, Timeout: 300 });
    expect(consumerOf(template).Properties).toMatchObject({ MemorySize: 1024 });
  });

  it.each([new Runtime('nodejs18.x', RuntimeFamily.NODEJS), Runtime.PYTHON_3_13, Runtime.PROVIDED_AL2023])(
    'reject the runtime $name',
    (runtime) => {
      expect(thrownBy(() => synthesized({ runtime })).message).toMatch(
        /runtime: received .*; allowed: nodejs20\.x or newer/,
      );
    },
  );

  it('put both into a VPC, each with a security group of its own, without a managed policy', () => {
    const stack = testStack();
    const vpc = testVpc(stack);
    const { template, fanout } = synthesized({ vpc }, stack);
    template.resourceCountIs('AWS::EC2::SecurityGroup', 2);
    template.allResourcesProperties(FUNCTION, { VpcConfig: { SubnetIds: Match.anyValue() } });
    expect(fanout.connections.securityGroups).toHaveLength(2);
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole']) {
      expect(statements(template, role)).toContainEqual({
        actions: expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']) as string[],
        resources: ['*'],
      });
    }
    expect(
      JSON.stringify(template.findResources('AWS::IAM::Role', { Properties: { ManagedPolicyArns: Match.anyValue() } })),
    ).toBe('{}');
  });

  it('share the security group that is brought, which can be let in once', () => {
    const stack = testStack();
    const vpc = testVpc(stack);
    const [securityGroup, database] = ['Jobs', 'Database'].map((id) => new SecurityGroup(stack, id, { vpc }));
    const fanout = new CronFanout(stack, 'Reminders', { ...MINIMAL, vpc, securityGroups: [securityGroup!] });
    database!.connections.allowFrom(fanout, Port.POSTGRES);
    expect(fanout.connections.securityGroups).toEqual([securityGroup]);
    Template.fromStack(stack).resourceCountIs('AWS::EC2::SecurityGroupIngress', 1);
  });
});

function testVpc(stack: Stack): IVpc {
  return new Vpc(stack, 'Vpc', { natGateways: 1, maxAzs: 2, restrictDefaultSecurityGroup: false }) as IVpc;
}

function known(variables: Readonly<Record<string, unknown>>): number {
  return Object.entries(variables)
    .map(([name, value]) => Buffer.byteLength(name) + (typeof value === 'string' ? Buffer.byteLength(value) : 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}
