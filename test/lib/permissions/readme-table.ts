import type { Grant } from './grants';
import { markdownTable } from './markdown';
import { OPTIONS, policiesOf } from './scenarios';

/** What the README calls a construct. */
const NAMES: Readonly<Record<string, string>> = {
  'Fanout/ScannerRole': 'scanner',
  'Fanout/ConsumerRole': 'consumer',
  'Fanout/ScheduleRole': 'schedules',
  'Fanout/Scanner': '`scanner`',
  'Fanout/Queue': '`queue`',
  'Fanout/DeadLetterQueue': '`deadLetterQueue`',
  'Fanout/FailureQueue': '`failureQueue`',
  'Fanout/StateTable': '`stateTable`',
  'Fanout/ScannerLogs': 'its log group',
  'Fanout/ConsumerLogs': 'its log group',
  Key: '`encryptionKey`',
  Secret: 'each secret',
  '*': 'all resources (AWS has no other way)',
};
const CONDITIONS: Readonly<Record<string, string>> = {
  '': '',
  'dynamodb:LeadingKeys ForAllValues:StringLike F or F#*; and dynamodb:LeadingKeys Null false':
    ', items whose partition key is the fanout id or begins with it and `#`',
  'lambda:SourceFunctionArn ArnLike arn:<Partition>:lambda:<Region>:<AccountId>:function:*': ', by its own code',
};
const ORDER = ['scanner', 'consumer', 'schedules'];

function nameOf(path: string): string {
  const name = NAMES[path];
  if (name === undefined) {
    throw new Error(`the table of permissions has no name for ${path}: add it to NAMES`);
  }
  return name;
}

function conditionOf({ condition }: Grant): string {
  const text = CONDITIONS[condition];
  if (text === undefined) {
    throw new Error(`the table of permissions has no words for ${condition}: add them to CONDITIONS`);
  }
  return text;
}

const rowOf = (grant: Grant, option: string): string[] => [
  nameOf(grant.who),
  `${grant.effect === 'Deny' ? '**not** ' : ''}${grant.actions.map((action) => `\`${action}\``).join(', ')}`,
  `${grant.resources.map(nameOf).join(', ')}${conditionOf(grant)}`,
  option,
];

/** What the three roles may do, and by which option. */
export function readmeTable(): string {
  const standard = policiesOf(() => ({})).ofRoles();
  const known = new Set(standard.map((grant) => JSON.stringify(grant)));
  const more = Object.entries(OPTIONS).flatMap(([option, make]) =>
    policiesOf(make)
      .ofRoles()
      .filter((grant) => !known.has(JSON.stringify(grant)))
      .map((grant) => rowOf(grant, `with \`${option}\``)),
  );
  const rows = [...standard.map((grant) => rowOf(grant, 'always')), ...more];
  const sorted = rows.toSorted(([one = ''], [other = '']) => ORDER.indexOf(one) - ORDER.indexOf(other));
  return markdownTable([['role of', 'may', 'on', 'when'], ...sorted]).join('\n');
}
