import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import type { AppProps, StackProps } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout } from '../../lib';
import type { CronFanoutProps } from '../../lib';

/** A job module that exists; it is not bundled. */
export const ENTRY = join(__dirname, 'fixtures', 'booking-jobs.ts');

/** The least that a fanout with ticks needs. */
export const MINIMAL: CronFanoutProps = { entry: ENTRY, schedule: ScheduleExpression.rate(Duration.minutes(5)) };

/** Where the apps of a test file are synthesized to. */
const OUTPUT = mkdtempSync(join(tmpdir(), 'cron-fanout-'));
let apps = 0;
afterAll(() => {
  rmSync(OUTPUT, { recursive: true, force: true });
});

/** An app as users make it in unit tests: no bundling, and no validation of templates, which takes two seconds. */
export function testApp(props: AppProps = {}): App {
  apps += 1;
  return new App({
    outdir: join(OUTPUT, String(apps)),
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    ...props,
    context: { 'aws:cdk:bundling-stacks': [], ...props.context },
  });
}

/** An empty stack in an app of its own. */
export function testStack(props: StackProps = {}, app = testApp()): Stack {
  return new Stack(app, 'Bookings', props);
}

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What a fanout with these properties is synthesized to. */
export function synthesized(props: Partial<CronFanoutProps> = {}, stack: Stack = testStack()): Synthesized {
  const fanout = new CronFanout(stack, 'Reminders', { ...MINIMAL, ...props });
  return { fanout, stack, template: Template.fromStack(stack) };
}

/** A fanout and its template. */
export interface Synthesized {
  readonly fanout: CronFanout;
  readonly stack: Stack;
  readonly template: Template;
}

/** The one resource of a type whose logical id begins with a prefix. */
export function resource(template: Template, type: string, prefix = ''): Resource {
  const found = Object.entries(template.findResources(type)).filter(([id]) => id.startsWith(prefix));
  expect(found.map(([id]) => id)).toHaveLength(1);
  return found[0]![1] as Resource;
}

/** Messages of warnings of a stack. */
export function warnings(stack: Stack): string[] {
  return Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => JSON.stringify(entry.data));
}

/** A statement of a policy, lists made of single values. */
export interface Statement {
  readonly actions: readonly string[];
  readonly resources: readonly unknown[];
  readonly condition?: unknown;
}

/** Statements of a role of a template and of all policies that are attached to it, in that order. */
export function statements(template: Template, role: string): Statement[] {
  const own = Object.entries(template.findResources('AWS::IAM::Role'))
    .filter(([id]) => id.startsWith(role))
    .flatMap(([, { Properties }]) => (Properties as RoleProperties).Policies ?? []);
  const attached = Object.values(template.findResources('AWS::IAM::Policy'))
    .map(({ Properties }) => Properties as PolicyProperties)
    .filter(({ Roles }) => Roles.some(({ Ref }) => Ref.startsWith(role)));
  return [...own, ...attached]
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Action, Resource: on, Condition }) => ({
      actions: [Action].flat(),
      resources: [on].flat(),
      ...(Condition === undefined ? {} : { condition: Condition }),
    }));
}

interface RoleProperties {
  readonly Policies?: readonly Pick<PolicyProperties, 'PolicyDocument'>[];
}

interface PolicyProperties {
  readonly Roles: readonly { readonly Ref: string }[];
  readonly PolicyDocument: {
    readonly Statement: readonly {
      readonly Action: string | readonly string[];
      readonly Resource: unknown;
      readonly Condition?: unknown;
    }[];
  };
}

/** The error that a call throws. */
export function thrownBy(call: () => unknown): Error & { readonly code?: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
