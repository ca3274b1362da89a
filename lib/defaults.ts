import type { Construct, IConstruct } from 'constructs';
import { CronFanoutError } from '../lambda/contract';
import type { CronFanoutProps } from './props';

/** Options that belong to one fanout alone: what it does and when, and what nobody else can have. */
type OwnOptions = 'entry' | 'code' | 'schedule' | 'start' | 'end' | 'jobs' | 'queue' | 'deadLetterQueue';

/** Options that can be set for all fanouts of a scope. */
export type CronFanoutDefaultProps = Omit<CronFanoutProps, OwnOptions>;

/** Every one of them, so that a misspelt name is found; the compiler sees to it that none is missing. */
const NAMES: Readonly<Record<keyof CronFanoutDefaultProps, true>> = {
  alarms: true,
  architecture: true,
  bundling: true,
  consumerRole: true,
  deduplication: true,
  enabled: true,
  encryptionKey: true,
  environment: true,
  expiresAfter: true,
  failureQueue: true,
  handlerTimeout: true,
  layers: true,
  logKeys: true,
  logLevel: true,
  logRetention: true,
  maxConcurrency: true,
  memorySize: true,
  overlap: true,
  overlapUntil: true,
  owner: true,
  pageActions: true,
  pointInTimeRecovery: true,
  quarantine: true,
  queueRetention: true,
  removalPolicy: true,
  reservedConcurrentExecutions: true,
  retry: true,
  runbookUrl: true,
  runtime: true,
  scannerMemorySize: true,
  scannerRole: true,
  scannerTimeout: true,
  scheduleGroup: true,
  scheduleRole: true,
  secrets: true,
  securityGroups: true,
  segments: true,
  serialFailure: true,
  service: true,
  shared: true,
  stateTable: true,
  ticketActions: true,
  tier: true,
  timeWindow: true,
  timeout: true,
  tracing: true,
  vpc: true,
  vpcSubnets: true,
};

/** What a scope knows; by symbol, so that two copies of this package share it. */
interface ScopeDefaults {
  props: CronFanoutDefaultProps;
  /** Path of a fanout that was made with them. */
  usedBy?: string;
}
const DEFAULTS = Symbol.for('cron-fanout.CronFanoutDefaults');
type Holder = IConstruct & { [DEFAULTS]?: ScopeDefaults };

/**
 * Options for all fanouts of a scope: of a company's app, of a stage, of a stack. Option by option, the nearest scope wins, and what a fanout is given of its own wins over all.
 *
 * @example
 * CronFanoutDefaults.of(app).set({ owner: 'team-bookings', pageActions: [new SnsAction(onCall)], logRetention: RetentionDays.THREE_MONTHS });
 */
export class CronFanoutDefaults {
  /** The defaults of a scope: of everything in it. */
  static of(scope: IConstruct): CronFanoutDefaults {
    return new CronFanoutDefaults(scope);
  }

  private constructor(private readonly scope: Holder) {}

  /**
   * Sets options, beside those that were set before. Options are taken as a whole: `environment` of a fanout replaces this one.
   *
   * @throws CronFanoutError `UnknownOption` for a name that is no option, or one that belongs to a single fanout; `DefaultsSetTooLate` where a fanout in the scope was made already
   */
  set(props: CronFanoutDefaultProps): this {
    checkNames(props);
    const known = this.scope[DEFAULTS] ?? { props: {} };
    if (known.usedBy !== undefined) {
      throw new CronFanoutError('DefaultsSetTooLate', {
        what: `CronFanoutDefaults of ${pathOf(this.scope)}`,
        received: `${Object.keys(props).join(', ')}, after ${known.usedBy} was made`,
        allowed: 'defaults that are set before the first fanout in their scope is made',
        change: 'set them where the app or the stack begins',
      });
    }
    this.scope[DEFAULTS] = { props: { ...known.props, ...given(props) } };
    return this;
  }
}

/** Options of a fanout with the defaults of the scopes that it is in, which cannot be changed from here on. */
export function withDefaults(fanout: Construct, props: CronFanoutProps): CronFanoutProps {
  let merged: CronFanoutProps | CronFanoutDefaultProps = {};
  for (const scope of fanout.node.scopes.slice(0, -1) as Holder[]) {
    const known = scope[DEFAULTS] ?? { props: {} };
    scope[DEFAULTS] = { ...known, usedBy: known.usedBy ?? fanout.node.path };
    merged = { ...merged, ...known.props };
  }
  return { ...merged, ...given(props) };
}

/** Without what is there and undefined. */
function given<Props extends object>(props: Props): Props {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as Props;
}

function pathOf({ node }: IConstruct): string {
  return node.path === '' ? 'the app' : node.path;
}

function checkNames(props: object): void {
  const unknown = Object.keys(props).filter((name) => !Object.hasOwn(NAMES, name));
  if (unknown.length > 0) {
    throw new CronFanoutError('UnknownOption', {
      what: 'CronFanoutDefaults',
      received: unknown.map((name) => JSON.stringify(name)).join(', '),
      allowed: Object.keys(NAMES).join(', '),
      change: 'use one of these; what belongs to one fanout alone is given to that',
    });
  }
}
