import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { policiesOf, SCENARIOS } from './scenarios';

const LAMBDA = join(__dirname, '..', '..', '..', 'lambda');

/** What IAM asks for when the runtime sends a command. A batch is allowed with what it is a batch of. */
const ACTIONS: Readonly<Record<string, string>> = {
  BatchGetCommand: 'dynamodb:BatchGetItem',
  DeleteCommand: 'dynamodb:DeleteItem',
  GetCommand: 'dynamodb:GetItem',
  PutCommand: 'dynamodb:PutItem',
  QueryCommand: 'dynamodb:Query',
  UpdateCommand: 'dynamodb:UpdateItem',
  ChangeMessageVisibilityBatchCommand: 'sqs:ChangeMessageVisibility',
  SendMessageBatchCommand: 'sqs:SendMessage',
  InvokeCommand: 'lambda:InvokeFunction',
  GetSecretValueCommand: 'secretsmanager:GetSecretValue',
};
/** What Lambda, SQS, DynamoDB and X-Ray do in the name of a role, without a command of the runtime. */
const BY_SERVICES =
  /^(sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes)|logs:(CreateLogStream|PutLogEvents)|kms:\w+|ec2:\w+|xray:\w+)$/;

const sources = (folder: string): { readonly file: string; readonly text: string }[] =>
  readdirSync(join(LAMBDA, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: join(folder, file), text: readFileSync(join(LAMBDA, folder, file), 'utf8') }));

describe('what the runtime sends to AWS', () => {
  const commands = new Set(
    sources('adapters').flatMap(({ text }) => [...text.matchAll(/\bnew (\w+Command)\(/g)].map(([, name = '']) => name)),
  );

  it('is known by the name of its action', () => {
    expect([...commands].toSorted()).toEqual(Object.keys(ACTIONS).toSorted());
  });

  it('is what the roles of the functions allow: nothing less and nothing more', () => {
    const [title] = Object.keys(SCENARIOS).filter((name) => name.startsWith('Encrypted'));
    const allowed = policiesOf(SCENARIOS[title!]!)
      .ofRoles()
      .filter(({ effect, who }) => effect === 'Allow' && /(Scanner|Consumer)Role$/.test(who))
      .flatMap(({ actions }) => actions)
      .filter((action) => !BY_SERVICES.test(action));
    expect([...new Set(allowed)].toSorted()).toEqual(Object.values(ACTIONS).toSorted());
  });
});

describe('the AWS clients of the runtime', () => {
  const made = ['adapters', 'consumer', 'scanner', 'sources', 'job']
    .flatMap(sources)
    .flatMap(({ file, text }) =>
      [...text.matchAll(/(\w*)\(?new (\w+Client)\((.*)/g)].map((match) => [file, ...match] as const),
    );

  it('all have short timeouts, and name the service that could not be reached', () => {
    expect(made.length).toBeGreaterThan(4);
    const others = made.filter(
      ([, , wrapper, , options = '']) => wrapper !== 'explainUnreachable' || !options.startsWith('clientSettings('),
    );
    expect(others.map(([file, text]) => `${file}: ${text}`)).toEqual([]);
  });
});
