import { readConfiguration, readSecretArns, required } from '../../../lambda/adapters/configuration';
import { SecretsManagerSecrets } from '../../../lambda/adapters/secrets-manager-secrets';
import type { FanoutConfiguration } from '../../../lambda/contract';
import { ENVIRONMENT, jobConfiguration } from '../../../lambda/contract';

const configuration = {
  pageSize: 250,
  defaults: { quarantine: 3600, deduplication: 'whileInFlight' },
  jobs: { special: { quarantine: 0 } },
} as unknown as FanoutConfiguration;

describe('readConfiguration', () => {
  it('reads what the construct wrote', () => {
    const text = JSON.stringify(configuration);
    expect(readConfiguration({ [ENVIRONMENT.configuration]: text })).toEqual(configuration);
  });

  it.each(['{oops', '[]', 'null', '42', '{}'])('rejects %s', (text) => {
    expect(() => readConfiguration({ [ENVIRONMENT.configuration]: text })).toThrow('[InvalidConfiguration]');
  });

  it.each([undefined, ''])('names the variable that is missing (%p)', (value) => {
    expect(() => required({ CRON_FANOUT_ID: value }, 'CRON_FANOUT_ID')).toThrow(
      'environment variable CRON_FANOUT_ID: received',
    );
  });
});

describe('jobConfiguration', () => {
  it('puts the overrides of the jobType over the defaults', () => {
    expect(jobConfiguration(configuration, 'special')).toMatchObject({ quarantine: 0, deduplication: 'whileInFlight' });
    expect(jobConfiguration(configuration, 'plain').quarantine).toBe(3600);
    expect(jobConfiguration(configuration, 'constructor').quarantine).toBe(3600);
  });
});

describe('secrets', () => {
  it('are none where the construct names none', () => {
    expect(readSecretArns({})).toEqual({});
  });

  it('list the known names when an unknown one is asked for', async () => {
    const secrets = new SecretsManagerSecrets(readSecretArns({ [ENVIRONMENT.secrets]: '{"DB":"arn","API":"arn"}' }));
    await expect(secrets.read('BD')).rejects.toThrow('secret(name): received "BD"; allowed: DB, API');
  });
});
