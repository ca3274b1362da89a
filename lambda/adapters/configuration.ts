import type { FanoutConfiguration } from '../contract';
import { CronFanoutError, ENVIRONMENT } from '../contract';

/** Environment variables of a function. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads an environment variable that the construct sets.
 *
 * @throws CronFanoutError `MissingEnvironment`
 */
export function required(environment: Environment, name: string): string {
  const value = environment[name];
  if (value === undefined || value === '') {
    throw new CronFanoutError('MissingEnvironment', {
      what: `environment variable ${name}`,
      received: value === undefined ? 'nothing' : 'an empty text',
      allowed: 'the value that the CronFanout construct sets',
      change: 'deploy the function with the construct, and leave its CRON_FANOUT_ variables alone',
    });
  }
  return value;
}

/**
 * Reads the configuration that the construct wrote.
 *
 * @throws CronFanoutError `MissingEnvironment` or `InvalidConfiguration`
 */
export function readConfiguration(environment: Environment): FanoutConfiguration {
  const configuration = readJson(environment, ENVIRONMENT.configuration) as Partial<FanoutConfiguration>;
  if (typeof configuration.defaults !== 'object' || typeof configuration.pageSize !== 'number') {
    throw invalidJson(ENVIRONMENT.configuration, required(environment, ENVIRONMENT.configuration));
  }
  return configuration as FanoutConfiguration;
}

/** Reads the ARNs of the secrets by name; none where the construct has none. */
export function readSecretArns(environment: Environment): Readonly<Record<string, string>> {
  return environment[ENVIRONMENT.secrets] === undefined
    ? {}
    : (readJson(environment, ENVIRONMENT.secrets) as Record<string, string>);
}

function readJson(environment: Environment, name: string): object {
  const text = required(environment, name);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value;
    }
  } catch (cause) {
    throw invalidJson(name, text, cause);
  }
  throw invalidJson(name, text);
}

function invalidJson(name: string, text: string, cause?: unknown): CronFanoutError {
  return new CronFanoutError('InvalidConfiguration', {
    what: `environment variable ${name}`,
    received: JSON.stringify(text.slice(0, 80)),
    allowed: 'the JSON object that the CronFanout construct writes',
    change: 'deploy scanner and consumer with the same version of cron-fanout',
    cause,
  });
}
