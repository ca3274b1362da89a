import { Duration, Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { CronFanout, CronFanoutDefaults } from '../../lib';
import type { CronFanoutDefaultProps, CronFanoutProps } from '../../lib';
import { withDefaults } from '../../lib/defaults';
import { MINIMAL, resource, testApp, testStack, thrownBy } from './fanout-stack';

/** What a fanout in a scope is made from. */
function made(scope: Construct, props: Partial<CronFanoutProps> = {}): CronFanoutProps {
  return withDefaults(new Construct(scope, 'Reminders'), { ...MINIMAL, ...props });
}

describe('CronFanoutDefaults', () => {
  it('go to every fanout in the scope, and to no other', () => {
    const app = testApp();
    const [shop, other] = [new Stack(app, 'Shop'), new Stack(app, 'Other')];
    CronFanoutDefaults.of(shop).set({ memorySize: 1024, logRetention: RetentionDays.ONE_YEAR });
    new CronFanout(shop, 'Reminders', MINIMAL);
    new CronFanout(other, 'Reminders', MINIMAL);
    const memory = (stack: Stack): unknown =>
      resource(Template.fromStack(stack), 'AWS::Lambda::Function', 'RemindersConsumer').Properties.MemorySize;
    expect([memory(shop), memory(other)]).toEqual([1024, 512]);
    Template.fromStack(shop).allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
  });

  it('of the nearest scope win, option by option, and what a fanout is given of its own wins over all', () => {
    const app = testApp();
    const stage = new Stage(app, 'Live');
    const stack = new Stack(stage, 'Shop');
    const team = new Construct(stack, 'Team');
    CronFanoutDefaults.of(app).set({ owner: 'company', tier: '3', memorySize: 256, timeout: Duration.seconds(20) });
    CronFanoutDefaults.of(stage).set({ tier: '1' });
    CronFanoutDefaults.of(team).set({ owner: 'team-a', memorySize: 1024 });
    expect(made(team, { memorySize: 2048 })).toEqual({
      ...MINIMAL,
      owner: 'team-a',
      tier: '1',
      memorySize: 2048,
      timeout: Duration.seconds(20),
    });
  });

  it('can be set one after the other', () => {
    const app = testApp();
    CronFanoutDefaults.of(app).set({ owner: 'a', tier: '1' });
    CronFanoutDefaults.of(app).set({ owner: 'b' }).set({ service: 's' });
    expect(made(new Stack(app, 'Shop'))).toEqual({ ...MINIMAL, owner: 'b', tier: '1', service: 's' });
  });

  it('take what is there and undefined as not given, on both sides', () => {
    const app = testApp();
    const nothing = { owner: undefined } as unknown as { readonly owner: string };
    CronFanoutDefaults.of(app).set({ owner: 'a' }).set(nothing);
    expect(made(new Stack(app, 'Shop'), nothing).owner).toBe('a');
  });

  it.each(['entry', 'schedule', 'jobs', 'queue', 'ownr'])('refuse %s, and list what they know', (name) => {
    const props = { [name]: 'x', owner: 'a' } as unknown as CronFanoutDefaultProps;
    const error = thrownBy(() => CronFanoutDefaults.of(testApp()).set(props));
    expect(error.code).toBe('UnknownOption');
    expect(error.message).toContain(`received ${JSON.stringify(name)};`);
    expect(error.message).toContain('owner');
  });

  it('refuse to be set once a fanout in the scope is made, and name it', () => {
    const app = testApp();
    const stack = new Stack(app, 'Shop');
    made(stack);
    for (const scope of [app, stack]) {
      const error = thrownBy(() => CronFanoutDefaults.of(scope).set({ owner: 'a' }));
      expect(error.code).toBe('DefaultsSetTooLate');
      expect(error.message).toContain('after Shop/Reminders was made');
    }
    expect(() => CronFanoutDefaults.of(new Stack(app, 'Other')).set({ owner: 'a' })).not.toThrow();
  });

  it('are checked like what a fanout is given', () => {
    const stack = testStack();
    CronFanoutDefaults.of(stack).set({ memorySize: 1 });
    expect(thrownBy(() => new CronFanout(stack, 'Reminders', MINIMAL)).message).toMatch(/^memorySize: received 1;/);
  });
});
