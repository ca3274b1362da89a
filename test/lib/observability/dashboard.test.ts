import { Duration, Stack } from 'aws-cdk-lib';
import { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Template } from 'aws-cdk-lib/assertions';
import { CronFanout, CronFanoutDashboard } from '../../../lib';
import { MINIMAL, testApp, testStack } from '../fanout-stack';

/** A widget of a dashboard. */
interface Widget {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly x: number;
  readonly y: number;
  readonly properties: Readonly<Record<string, unknown>> & { readonly title?: string };
}

/** The dashboard of a template, with references replaced by their names. */
function widgetsOf(template: Template): readonly Widget[] {
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const body = (dashboard!.Properties as { readonly DashboardBody: { readonly 'Fn::Join': [string, unknown[]] } })
    .DashboardBody;
  const text = body['Fn::Join'][1]
    .map((part) =>
      typeof part === 'string'
        ? part
        : `{${JSON.stringify(part)
            .replaceAll(/[^A-Za-z0-9:]+/g, ' ')
            .trim()}}`,
    )
    .join('');
  return (JSON.parse(text) as { readonly widgets: readonly Widget[] }).widgets;
}

function fanout(stack: Stack, id = 'Reminders'): CronFanout {
  return new CronFanout(stack, id, { ...MINIMAL, owner: 'team-a', service: 'shop' });
}

describe('the dashboard of a fanout', () => {
  const stack = testStack();
  new CronFanoutDashboard(stack, 'Dashboard', {
    fanouts: [fanout(stack)],
    dashboardName: 'shop',
    defaultInterval: Duration.hours(3),
  });
  const template = Template.fromStack(stack);

  it('snapshot: what it shows', () => {
    expect(widgetsOf(template)).toMatchSnapshot();
  });

  it('is one screen: as wide as a dashboard, and no higher than 16 rows', () => {
    const widgets = widgetsOf(template);
    expect(Math.max(...widgets.map(({ x, width }) => x + width))).toBe(24);
    expect(Math.max(...widgets.map(({ y, height }) => y + height))).toBeLessThanOrEqual(16);
  });

  it('says whose it is, and how its alarms stand', () => {
    const [text, status] = widgetsOf(template);
    expect(text!.properties.markdown).toMatch(
      /^## Reminders\nBookings-Reminders-[0-9a-f]{8}, service shop, owner team-a$/,
    );
    expect(status).toMatchObject({ type: 'alarm', properties: { alarms: { length: 8 } } });
  });

  it('has the name and the interval that are given', () => {
    template.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName: 'shop' });
    expect(JSON.stringify(template.toJSON())).toContain('-PT3H');
  });
});

describe('dashboards', () => {
  it('show several fanouts below one another', () => {
    const stack = testStack();
    const board = new CronFanoutDashboard(stack, 'Dashboard', { fanouts: [fanout(stack)] });
    board.addFanout(fanout(stack, 'Reviews'));
    const headings = widgetsOf(Template.fromStack(stack)).filter(({ type }) => type === 'text');
    expect(headings.map(({ y }) => y)).toEqual([0, 16]);
  });

  it('can be your own, also in another stack, and without alarms', () => {
    const app = testApp();
    const there = new Stack(app, 'There');
    const quiet = new CronFanout(there, 'Reminders', { ...MINIMAL, alarms: { all: { enabled: false } } });
    const here = new Stack(app, 'Here');
    quiet.addToDashboard(new Dashboard(here, 'Own'));
    const widgets = widgetsOf(Template.fromStack(here));
    expect(widgets.map(({ type }) => type)).toEqual(['text', ...Array<string>(7).fill('metric')]);
  });
});
