import { CronFanoutError } from '../contract';
import type { Secrets } from '../ports';
import { clientSettings, explainUnreachable } from './service-client';
import type { Patience } from './service-client';

/** Secrets from AWS Secrets Manager, each read once per execution environment; a failed read is tried again by the next call. */
export class SecretsManagerSecrets implements Secrets {
  private readonly values = new Map<string, Promise<string>>();

  /** @param arns ARN by the name that the construct's `secrets` prop gives */
  constructor(
    private readonly arns: Readonly<Record<string, string>>,
    private readonly patience?: Patience,
  ) {}

  read(name: string): Promise<string> {
    const known = this.values.get(name);
    if (known !== undefined) {
      return known;
    }
    const value = this.fetch(name);
    this.values.set(name, value);
    value.catch(() => this.values.delete(name));
    return value;
  }

  private async fetch(name: string): Promise<string> {
    const arn = Object.hasOwn(this.arns, name) ? this.arns[name] : undefined;
    if (arn === undefined) {
      throw new CronFanoutError('UnknownSecret', {
        what: 'secret(name)',
        received: JSON.stringify(name),
        allowed: Object.keys(this.arns).join(', ') || 'none: the construct has no secrets prop',
        change: `add ${JSON.stringify(name)} to the construct's secrets`,
      });
    }
    // Loaded on first use: most jobs have no secrets, and the client is half a megabyte.
    const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
    const client = explainUnreachable(new SecretsManagerClient(clientSettings(this.patience)));
    const answer = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    if (answer.SecretString === undefined) {
      throw new CronFanoutError('BinarySecret', {
        what: `secret ${JSON.stringify(name)}`,
        received: 'a binary secret',
        allowed: 'a secret that holds text',
        change: 'store the value as SecretString, for example base64 encoded',
      });
    }
    return answer.SecretString;
  }
}
