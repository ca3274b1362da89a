import { CronFanoutError, ENVIRONMENT } from '../../lambda/contract';
import type { SynthesizedStack } from './assembly';

type Properties = Readonly<Record<string, unknown>>;

/**
 * The stack to run: the named one, or the only one that holds a fanout.
 *
 * @throws CronFanoutError `UnknownStack`, `NoFanout` or `SeveralStacks`
 */
export function chooseStack(stacks: readonly SynthesizedStack[], name?: string): SynthesizedStack {
  const names = stacks.map(({ stackName }) => stackName).join(', ') || 'none';
  if (name !== undefined) {
    const named = stacks.find(({ stackName }) => stackName === name);
    if (named === undefined) {
      throw new CronFanoutError('UnknownStack', {
        what: '--stack',
        received: JSON.stringify(name),
        allowed: `a stack of the app: ${names}`,
        change: 'name one of these',
      });
    }
    return named;
  }
  const [first, ...others] = stacks.filter(holdsFanout);
  if (first === undefined) {
    throw new CronFanoutError('NoFanout', {
      what: 'stacks of the app',
      received: names,
      allowed: 'a stack with a CronFanout',
      change: 'add `new CronFanout(this, ...)` to a stack of the app, or give another app with --app',
    });
  }
  if (others.length > 0) {
    throw new CronFanoutError('SeveralStacks', {
      what: 'stacks of the app that hold a fanout',
      received: [first, ...others].map(({ stackName }) => stackName).join(', '),
      allowed: 'one',
      change: 'name the stack to run with --stack',
    });
  }
  return first;
}

function holdsFanout({ template }: SynthesizedStack): boolean {
  return Object.values(template.Resources ?? {}).some(({ Type, Properties = {} }) => {
    const variables = (Properties.Environment as { Variables?: Properties } | undefined)?.Variables;
    return Type === 'AWS::Lambda::Function' && variables?.[ENVIRONMENT.fanoutId] !== undefined;
  });
}
