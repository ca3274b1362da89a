import { Stack, Token } from 'aws-cdk-lib';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { CronFanoutError, ENVIRONMENT } from '../lambda/contract';
import { FIXED } from './bounds';
import type { FunctionOptions } from './props';

/** Beginning of the names that belong to the fanout. */
const OWN_PREFIX = 'CRON_FANOUT_';
/** What a name may look like. @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_]+$/;
/** Names that Lambda sets itself and refuses. @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
const RESERVED_PATTERN =
  /^(_HANDLER|_X_AMZN_TRACE_ID|AWS_(DEFAULT_REGION|REGION|EXECUTION_ENV|LAMBDA_\w+|ACCESS_KEY(_ID)?|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;
const SOURCE_MAPS = '--enable-source-maps';

/**
 * Environment of a function: what the user wants in it, source maps for traces, and the fanout's own variables.
 *
 * @param own values of the fanout's variables by their key in {@link ENVIRONMENT}
 * @throws CronFanoutError `InvalidEnvironmentName`
 */
export function functionEnvironment(
  options: FunctionOptions,
  own: Readonly<Partial<Record<keyof typeof ENVIRONMENT, string>>>,
): Record<string, string> {
  const environment = options.environment ?? {};
  Object.keys(environment).forEach(checkName);
  return {
    ...environment,
    NODE_OPTIONS: nodeOptions(environment.NODE_OPTIONS),
    ...Object.fromEntries(
      Object.entries(own).map(([key, value]) => [ENVIRONMENT[key as keyof typeof ENVIRONMENT], value]),
    ),
  };
}

function nodeOptions(given: string | undefined): string {
  if (given === undefined || given === '') {
    return SOURCE_MAPS;
  }
  return given.split(/\s+/).includes(SOURCE_MAPS) ? given : `${given} ${SOURCE_MAPS}`;
}

function checkName(name: string): void {
  if (!NAME_PATTERN.test(name) || RESERVED_PATTERN.test(name) || name.startsWith(OWN_PREFIX)) {
    throw new CronFanoutError('InvalidEnvironmentName', {
      what: 'name in environment',
      received: JSON.stringify(name),
      allowed: `letters, digits and _, beginning with a letter; not ${OWN_PREFIX}..., nor a name that Lambda reserves`,
      change: 'choose another name',
    });
  }
}

/**
 * Names of secrets and their ARNs as JSON; absent without secrets.
 *
 * @throws CronFanoutError `InvalidSecretName`
 */
export function secretsVariable(scope: Construct, { secrets = {} }: FunctionOptions): { readonly secrets?: string } {
  const entries = Object.entries(secrets);
  for (const [name] of entries) {
    if (name.trim() === '') {
      throw new CronFanoutError('InvalidSecretName', {
        what: 'name in secrets',
        received: JSON.stringify(name),
        allowed: 'a name that is not blank',
        change: `choose the name that the job reads it by, for example 'DB'`,
      });
    }
  }
  const arns = Object.fromEntries(entries.map(([name, secret]) => [name, secret.secretArn]));
  return entries.length === 0 ? {} : { secrets: Stack.of(scope).toJsonString(arns) };
}

/**
 * Refuses an environment that Lambda would refuse at deploy time. What is not known at synth time counts as nothing, so that a legal environment always
 * passes.
 */
export function environmentError(made: Function): CronFanoutError | undefined {
  const resource = made.node.defaultChild as CfnFunction;
  const { variables } = (Stack.of(resource).resolve(resource.environment) ?? {}) as {
    readonly variables?: Readonly<Record<string, unknown>>;
  };
  const sizes = Object.entries(variables ?? {}).map(([name, value]) => ({
    name,
    bytes: Buffer.byteLength(name) + knownBytes(value),
  }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= FIXED.environmentBytes) {
    return undefined;
  }
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  return new CronFanoutError('EnvironmentTooLarge', {
    what: `environment of ${made.node.path}`,
    received: `${total} bytes or more (${largest.map(({ name, bytes }) => `${name}: ${bytes}`).join(', ')})`,
    allowed: `${FIXED.environmentBytes} bytes for all variables together`,
    change: 'move values to a secret or a parameter, or shorten jobs',
  });
}

/** Bytes of the parts of a value that are known at synth time. */
function knownBytes(value: unknown): number {
  if (typeof value === 'string') {
    return Token.isUnresolved(value) ? 0 : Buffer.byteLength(value);
  }
  const [separator, parts] = ((value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] } | undefined)?.[
    'Fn::Join'
  ] ?? ['', []]) as [string, readonly unknown[]];
  return parts.reduce<number>((sum, part) => sum + knownBytes(part), Math.max(0, parts.length - 1) * separator.length);
}
