import { Tags, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { CronFanoutError } from '../../lambda/contract';
import type { FanoutLabels } from '../../lambda/contract';
import type { ObservabilityOptions } from './options';

/** Options that name who a fanout belongs to, in the order in which texts give them. */
export const LABELS = ['service', 'owner', 'tier'] as const;

/** What the value of a tag and that of a dimension have in common. @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html */
const LABEL_PATTERN = /^(?=.*\S)[A-Za-z0-9 _.:/=+@-]{1,255}$/;

/**
 * The labels that are given, checked.
 *
 * @throws CronFanoutError `InvalidLabel`
 */
export function readLabels(options: ObservabilityOptions): FanoutLabels {
  const given = LABELS.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [[name, checkLabel(name, value)] as const];
  });
  return Object.fromEntries(given);
}

/** Tags everything in a scope that can have tags. */
export function tag(scope: IConstruct, labels: FanoutLabels): void {
  for (const name of LABELS) {
    const value = labels[name];
    if (value !== undefined) {
      Tags.of(scope).add(name, value);
    }
  }
}

/** `service shop, owner team-a`; empty without labels. */
export function labelsText(labels: FanoutLabels): string {
  return LABELS.flatMap((name) => (labels[name] === undefined ? [] : [`${name} ${labels[name]}`])).join(', ');
}

function checkLabel(name: string, value: string): string {
  if (!Token.isUnresolved(value) && !LABEL_PATTERN.test(value)) {
    throw new CronFanoutError('InvalidLabel', {
      what: name,
      received: JSON.stringify(value),
      allowed: '1 to 255 letters, digits, spaces and _ . : / = + - @, not blank',
      change: 'choose a value that a tag and a dimension of a metric can have',
    });
  }
  return value;
}
