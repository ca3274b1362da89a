/** What a resource is called by the intrinsic functions. */
export interface Identity {
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** What {@link identify} asks about a resource. */
export interface Facts {
  readonly name: string;
  /** A property, resolved. */
  readonly text: (property: string) => string;
  readonly has: (property: string) => boolean;
  readonly arn: (service: string, resource: string, regional?: boolean) => string;
  readonly queueUrl: (queueName: string) => string;
}

/** Properties that give a resource a name of the user's choice. */
export const NAME_PROPERTIES: Readonly<Record<string, string>> = {
  'AWS::SQS::Queue': 'QueueName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Scheduler::ScheduleGroup': 'Name',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SecretsManager::Secret': 'Name',
};

/**
 * What `Ref` and `Fn::GetAtt` give for a resource locally; of types that are not listed, `Ref` is the name and nothing else is known.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-template-resource-type-ref.html
 */
export function identify(type: string, { name, text, has, arn, queueUrl }: Facts): Identity {
  const named = (ownArn: string, others: Record<string, string> = {}): Identity => ({
    ref: name,
    attributes: { Arn: ownArn, ...others },
  });
  switch (type) {
    case 'AWS::SQS::Queue': {
      const url = queueUrl(name);
      return { ref: url, attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: url } };
    }
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::DynamoDB::Table':
      return named(arn('dynamodb', `table/${name}`));
    case 'AWS::Lambda::Function':
      return named(arn('lambda', `function:${name}`));
    case 'AWS::Lambda::Version': {
      const version = `${functionArn(text('FunctionName'), arn)}:1`;
      return { ref: version, attributes: { FunctionArn: version, Version: '1' } };
    }
    case 'AWS::Lambda::Alias': {
      const alias = `${functionArn(text('FunctionName'), arn)}:${text('Name')}`;
      return { ref: alias, attributes: { AliasArn: alias } };
    }
    case 'AWS::Scheduler::ScheduleGroup':
      return named(arn('scheduler', `schedule-group/${name}`));
    case 'AWS::Scheduler::Schedule':
      return named(arn('scheduler', `schedule/${has('GroupName') ? text('GroupName') : 'default'}/${name}`));
    case 'AWS::IAM::Role':
      return named(arn('iam', `role/${name}`, false), { RoleId: name });
    case 'AWS::Logs::LogGroup':
      return named(`${arn('logs', `log-group:${name}`)}:*`);
    case 'AWS::KMS::Key':
      return named(arn('kms', `key/${name}`), { KeyId: name });
    case 'AWS::SecretsManager::Secret': {
      const secret = arn('secretsmanager', `secret:${name}`);
      return { ref: secret, attributes: { Id: secret } };
    }
    default:
      return { ref: name, attributes: {} };
  }
}

function functionArn(nameOrArn: string, arn: Facts['arn']): string {
  return nameOrArn.startsWith('arn:') ? nameOrArn : arn('lambda', `function:${nameOrArn}`);
}
