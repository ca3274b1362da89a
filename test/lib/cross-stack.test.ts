import { readFileSync } from 'node:fs';
import { NestedStack, Stack } from 'aws-cdk-lib';
import type { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CronFanoutShared } from '../../lib';
import { dependencies, Records } from './composition';
import { testApp } from './fanout-stack';

const RECOMMENDED = JSON.parse(
  readFileSync(require.resolve('aws-cdk-lib/recommended-feature-flags.json'), 'utf8'),
) as Readonly<Record<string, unknown>>;
/** A flag that is no boolean is off where it is not there. */
const OFF = Object.fromEntries(
  Object.entries(RECOMMENDED).flatMap(([flag, value]) => (typeof value === 'boolean' ? [[flag, false]] : [])),
);
const ENV = { env: { account: '111122223333', region: 'eu-central-1' } };

const flags: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['recommended', RECOMMENDED],
  ['off', OFF],
];

describe.each(flags)('B09: with all feature flags %s', (_, context) => {
  const setUp = (): { app: App; records: Records } => {
    const app = testApp({ context });
    return { app, records: new Records(app, 'Records') };
  };

  it('B09: a fanout in another stack than records and key makes its stack depend on theirs, and nothing the other way', () => {
    const { app, records } = setUp();
    const stack = new Stack(app, 'Fanout', ENV);
    records.fanout(stack, 'Reminders');
    expect(dependencies(app, stack)).toEqual(['Records']);
    expect(records.dependencies).toEqual([]);
  });

  it('B09: it can be in a nested stack of another stack, or of theirs', () => {
    const { app, records } = setUp();
    const stack = new Stack(app, 'Fanout', ENV);
    records.fanout(new NestedStack(stack, 'Nested'), 'Reminders');
    records.fanout(new NestedStack(records, 'Nested'), 'Reminders');
    expect(dependencies(app, stack)).toEqual(['Records']);
    expect(records.dependencies).toEqual([]);
  });

  it('fanouts of two stacks share what a third one has, and depend on it alone', () => {
    const { app, records } = setUp();
    const shared = records.shared(app, 'Shared');
    const stacks = ['One', 'Two'].map((id) => new Stack(app, id, ENV));
    stacks.forEach((stack) => records.fanout(stack, 'Reminders', { shared }));
    expect(stacks.map((stack) => dependencies(app, stack))).toEqual(Array(2).fill(['Records', 'Shared']));
    expect(Stack.of(shared).dependencies.map(({ node }) => node.id)).toEqual(['Records']);
    expect(records.dependencies).toEqual([]);
  });

  it('fanouts of nested stacks share what their parent has', () => {
    const { app, records } = setUp();
    const parent = new Stack(app, 'Parent', ENV);
    const shared = new CronFanoutShared(parent, 'Shared', { encryptionKey: records.key });
    const nested = ['One', 'Two'].map((id) => new NestedStack(parent, id));
    nested.forEach((stack) => records.fanout(stack, 'Reminders', { shared }));
    expect(dependencies(app, parent)).toEqual(['Records']);
    nested.forEach((stack) => {
      Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    });
  });

  it('another stack can be granted, watch and read a fanout, and depends on its stack', () => {
    const { app, records } = setUp();
    const stack = new Stack(app, 'Fanout', ENV);
    const fanout = records.fanout(stack, 'Reminders');
    const other = new Stack(app, 'Operations', ENV);
    const operator = new Records(app, 'Other').fanout(other, 'Operator');
    fanout.deadLetterQueue.grantConsumeMessages(operator.consumer);
    fanout.scanner.grantInvoke(operator.consumer);
    fanout.metricDead().createAlarm(other, 'Alarm', { threshold: 1, evaluationPeriods: 1 });
    expect(dependencies(app, other)).toEqual(
      ['Fanout', 'Other', 'Records'].filter((id) => other.dependencies.some(({ node }) => node.id === id)),
    );
    expect(other.dependencies).toContain(stack);
    expect(stack.dependencies).toEqual([records]);
  });
});

it('the grant of the key to a fanout of another stack stands in the role alone', () => {
  const app = testApp({ context: RECOMMENDED });
  const records = new Records(app, 'Records');
  records.fanout(new Stack(app, 'Fanout', ENV), 'Reminders');
  const policy = JSON.stringify(Template.fromStack(records).findResources('AWS::KMS::Key'));
  expect(policy).not.toContain('Reminders');
});
