import type { Duration } from 'aws-cdk-lib';
import { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { fanoutWidgets } from './dashboard-widgets';
import type { ObservedFanout } from './observed-fanout';

/** Properties of a `CronFanoutDashboard`. */
export interface CronFanoutDashboardProps {
  /**
   * Fanouts that it shows, one screen each.
   *
   * @default - none; add them with `addFanout`
   */
  readonly fanouts?: readonly ObservedFanout[];
  /**
   * Name of the dashboard.
   *
   * @default - CloudFormation makes one
   */
  readonly dashboardName?: string;
  /**
   * Time that it shows when it is opened.
   *
   * @default - what CloudWatch chooses
   */
  readonly defaultInterval?: Duration;
}

/**
 * A dashboard of fanouts, one screen for each.
 *
 * @example
 * new CronFanoutDashboard(this, 'Dashboard', { fanouts: [reminders, reviews] });
 */
export class CronFanoutDashboard extends Construct {
  /** The dashboard, to add widgets of your own to. */
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: CronFanoutDashboardProps = {}) {
    super(scope, id);
    const { fanouts = [], ...dashboard } = props;
    this.dashboard = new Dashboard(this, 'Dashboard', dashboard);
    fanouts.forEach((fanout) => {
      this.addFanout(fanout);
    });
  }

  /** Adds one screen about a fanout. */
  addFanout(fanout: ObservedFanout): void {
    this.dashboard.addWidgets(...fanoutWidgets(fanout));
  }
}
