import { Aspects, Duration, Mixin, PermissionsBoundary, PropertyInjectors, RemovalPolicies, Tags } from 'aws-cdk-lib';
import type { CfnResource, IPropertyInjector, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PermissionsBoundary as Boundaries, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction, Code, EventSourceMapping, Function, LayerVersion, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CfnQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { FanoutConfiguration } from '../../lambda/contract';
import { CronFanout } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { MINIMAL, resource, statements, synthesized, testStack } from './fanout-stack';
import type { Resource } from './fanout-stack';

const QUEUE = 'AWS::SQS::Queue';
const FUNCTION = 'AWS::Lambda::Function';
const ROLE = 'AWS::IAM::Role';
const DAY = 86_400;
const HOURLY = { schedule: ScheduleExpression.rate(Duration.hours(1)) };

/** What the functions of a fanout are told. */
function configurationOf(template: Template): FanoutConfiguration {
  const texts = (Object.values(template.findResources(FUNCTION)) as Resource[])
    .map(({ Properties }) => (Properties.Environment as { Variables: Record<string, string> }).Variables)
    .map((variables) => variables.CRON_FANOUT_CONFIGURATION);
  expect(texts).toHaveLength(2);
  expect(texts[0]).toBe(texts[1]);
  return JSON.parse(texts[0] ?? '') as FanoutConfiguration;
}

/** A fanout in a stack that a platform team changed before it. */
function changed(change: (stack: Stack) => void, props: Partial<CronFanoutProps> = {}): Template {
  const stack = testStack();
  change(stack);
  return synthesized({ ...HOURLY, ...props }, stack).template;
}

const aspect =
  (visit: (node: IConstruct) => void) =>
  (stack: Stack): void => {
    Aspects.of(stack).add({ visit });
  };

describe('aspects take effect', () => {
  it('on the memory of the functions', () => {
    const template = changed(
      aspect((node) => {
        if (node instanceof CfnFunction) {
          node.memorySize = 2048;
        }
      }),
    );
    template.allResourcesProperties(FUNCTION, { MemorySize: 2048 });
  });

  it('on the queue, and the functions are told', () => {
    const template = changed(
      aspect((node) => {
        if (node instanceof CfnQueue && node.redrivePolicy !== undefined) {
          node.visibilityTimeout = 900;
          node.messageRetentionPeriod = 10 * DAY;
          node.addPropertyOverride('DelaySeconds', 5);
        }
      }),
    );
    expect(resource(template, QUEUE, 'RemindersQueue').Properties).toMatchObject({
      VisibilityTimeout: 900,
      MessageRetentionPeriod: 10 * DAY,
      DelaySeconds: 5,
    });
    expect(configurationOf(template)).toMatchObject({
      visibilityTimeout: 900,
      queueRetention: 10 * DAY,
      ledgerRetention: (10 + 14 + 1) * DAY,
      maxReceiveCount: 550,
    });
  });

  it('on the receives after which SQS moves a message away, which the consumer settles before', () => {
    const template = changed(
      aspect((node) => {
        if (node instanceof CfnQueue && node.redrivePolicy !== undefined) {
          node.redrivePolicy = { ...(node.redrivePolicy as object), maxReceiveCount: 20 };
        }
      }),
    );
    expect(configurationOf(template).maxReceiveCount).toBe(20);
  });

  it('on the schedules', () => {
    const template = changed(
      aspect((node) => {
        if (node instanceof CfnSchedule) {
          node.state = 'DISABLED';
        }
      }),
    );
    template.allResourcesProperties('AWS::Scheduler::Schedule', { State: 'DISABLED' });
  });

  it('on the environment, beside the variables of the fanout', () => {
    const stack = testStack();
    aspect((node) => {
      if (node instanceof Function) {
        node.addEnvironment('STAGE', 'live');
      }
    })(stack);
    synthesized({}, stack).template.allResourcesProperties(FUNCTION, {
      Environment: { Variables: { STAGE: 'live', CRON_FANOUT_ID: Match.stringLikeRegexp('^Bookings-Reminders-') } },
    });
  });
});

describe('a permissions boundary', () => {
  const arn = 'arn:aws:iam::111122223333:policy/boundary';

  it('of the stack is on every role', () => {
    const template = changed((stack) => {
      Boundaries.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', arn));
    });
    template.resourceCountIs(ROLE, 3);
    template.allResourcesProperties(ROLE, { PermissionsBoundary: arn });
  });

  it('that a stack is made with is on every role too', () => {
    const stack = testStack({ permissionsBoundary: PermissionsBoundary.fromName('boundary') });
    synthesized(HOURLY, stack).template.allResourcesProperties(ROLE, {
      PermissionsBoundary: { 'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':policy/boundary$')])] },
    });
  });
});

describe('tags and removal policies of the stack', () => {
  it('are on everything that can have tags', () => {
    const template = changed((stack) => {
      Tags.of(stack).add('team', 'bookings');
    });
    const tag = { Key: 'team', Value: 'bookings' };
    for (const type of [
      QUEUE,
      FUNCTION,
      ROLE,
      'AWS::Logs::LogGroup',
      'AWS::Scheduler::ScheduleGroup',
      'AWS::Lambda::EventSourceMapping',
    ]) {
      template.allResourcesProperties(type, { Tags: Match.arrayWith([tag]) });
    }
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', { Replicas: [{ Tags: [tag] }] });
  });

  const policies = (template: Template, types: readonly string[]): Set<string | undefined> => {
    const made = types.flatMap((type) => Object.values(template.findResources(type)) as Resource[]);
    expect(made.length).toBeGreaterThan(5);
    return new Set(made.flatMap(({ DeletionPolicy, UpdateReplacePolicy }) => [DeletionPolicy, UpdateReplacePolicy]));
  };
  const holders = [QUEUE, 'AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup'];

  it('destroy: everything goes with the stack, whatever the option says', () => {
    const template = changed((stack) => {
      RemovalPolicies.of(stack).destroy();
    });
    expect(policies(template, [...holders, FUNCTION, ROLE])).toEqual(new Set(['Delete']));
  });

  it('for the types that are named, against the option of the fanout', () => {
    const template = changed((stack) => {
      RemovalPolicies.of(stack).destroy({ applyToResourceTypes: [QUEUE] });
    });
    const deletion = (type: string): (string | undefined)[] =>
      (Object.values(template.findResources(type)) as Resource[]).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(deletion(QUEUE)).toEqual(['Delete', 'Delete', 'Delete']);
    expect(deletion('AWS::DynamoDB::GlobalTable')).toEqual(['Retain']);
  });
});

describe('mixins take effect', () => {
  class ShortLife extends Mixin {
    override supports(construct: IConstruct): construct is CfnQueue {
      return construct instanceof CfnQueue;
    }

    override applyTo(construct: IConstruct): void {
      if (this.supports(construct)) {
        construct.messageRetentionPeriod = 2 * DAY;
      }
    }
  }

  it('on the fanout and all below it, and the functions are told', () => {
    const stack = testStack();
    const fanout = new CronFanout(stack, 'Reminders', MINIMAL);
    expect(fanout.with(new ShortLife())).toBe(fanout);
    const template = Template.fromStack(stack);
    template.allResourcesProperties(QUEUE, { MessageRetentionPeriod: 2 * DAY });
    expect(configurationOf(template).queueRetention).toBe(2 * DAY);
  });
});

describe('property injectors take effect', () => {
  const injecting = (constructUniqueId: string, properties: (stack: Stack) => object) => (stack: Stack) => {
    const more = properties(stack);
    const injector: IPropertyInjector = { constructUniqueId, inject: (given: object) => ({ ...given, ...more }) };
    PropertyInjectors.of(stack).add(injector);
  };

  it('on queues: their key is allowed to the roles', () => {
    const stack = testStack();
    injecting(Queue.PROPERTY_INJECTION_ID, (scope) => ({
      encryption: QueueEncryption.KMS,
      encryptionMasterKey: new Key(scope, 'OrganisationKey'),
    }))(stack);
    const { template } = synthesized(HOURLY, stack);
    const keyArn = { 'Fn::GetAtt': [expect.stringMatching(/^OrganisationKey/), 'Arn'] };
    for (const { Properties } of Object.values(template.findResources(QUEUE)) as Resource[]) {
      expect(Properties.KmsMasterKeyId).toEqual(keyArn);
    }
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole', 'RemindersScheduleRole']) {
      expect(statements(template, role)).toContainEqual({
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: [keyArn],
      });
    }
  });

  it('on queues: what the functions are told is what the queue has', () => {
    const template = changed(
      injecting(Queue.PROPERTY_INJECTION_ID, () => ({
        retentionPeriod: Duration.days(7),
        visibilityTimeout: Duration.minutes(20),
      })),
    );
    expect(configurationOf(template)).toMatchObject({ visibilityTimeout: 1200, queueRetention: 7 * DAY });
  });

  it('on functions', () => {
    const template = changed(
      injecting(Function.PROPERTY_INJECTION_ID, () => ({
        memorySize: 3008,
        tracing: Tracing.ACTIVE,
        deadLetterQueueEnabled: false,
      })),
    );
    template.allResourcesProperties(FUNCTION, { MemorySize: 3008, TracingConfig: { Mode: 'Active' } });
    template.resourceCountIs(FUNCTION, 2);
    expect(JSON.stringify(statements(template, 'RemindersScannerRole'))).toContain('xray:PutTraceSegments');
  });

  it('on the table', () => {
    const template = changed(
      injecting(TableV2.PROPERTY_INJECTION_ID, () => ({
        deletionProtection: true,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      })),
    );
    template.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [
        {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  it('on roles, whose permissions stay', () => {
    const template = changed(
      injecting(Role.PROPERTY_INJECTION_ID, () => ({ path: '/jobs/', maxSessionDuration: Duration.hours(2) })),
    );
    template.allResourcesProperties(ROLE, { Path: '/jobs/', MaxSessionDuration: 7200 });
    expect(statements(template, 'RemindersScannerRole')).toHaveLength(5);
  });

  it('on log groups and on the event source mapping', () => {
    const template = changed((stack) => {
      injecting(LogGroup.PROPERTY_INJECTION_ID, () => ({ retention: RetentionDays.TEN_YEARS }))(stack);
      injecting(EventSourceMapping.PROPERTY_INJECTION_ID, () => ({ enabled: false }))(stack);
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 3653 });
    template.allResourcesProperties('AWS::Lambda::EventSourceMapping', { Enabled: false });
  });
});

describe('options that both functions share', () => {
  it('layers and environment are on both', () => {
    const stack = testStack();
    const layer = new LayerVersion(stack, 'Layer', { code: Code.fromAsset(__dirname) });
    const { template } = synthesized({ layers: [layer], environment: { STAGE: 'live' } }, stack);
    template.allResourcesProperties(FUNCTION, {
      Layers: [{ Ref: stack.getLogicalId(layer.node.defaultChild as CfnResource) }],
      Environment: { Variables: { STAGE: 'live' } },
    });
  });
});
