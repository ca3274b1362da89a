import fc from 'fast-check';
import { TemplateResolver } from '../../../bin/dev/template';

const SCOPE = {
  stackName: 'Demo',
  account: '000000000000',
  region: 'eu-west-1',
  queueUrl: (name: string) => `http://127.0.0.1:1/000000000000/${name}`,
};
const RESOURCES = {
  Work: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
  Named: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Sub': '${AWS::StackName}-q' } } },
  State: { Type: 'AWS::DynamoDB::GlobalTable' },
  Scan: { Type: 'AWS::Lambda::Function' },
  Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Scan' }, Name: 'live' } },
  Group: { Type: 'AWS::Scheduler::ScheduleGroup' },
  Tick: { Type: 'AWS::Scheduler::Schedule', Properties: { GroupName: { Ref: 'Group' } } },
  Other: { Type: 'AWS::RDS::DBInstance' },
};
const resolver = new TemplateResolver(
  { Resources: RESOURCES, Parameters: { Size: { Default: 3 }, Needed: {} } },
  SCOPE,
);

describe('TemplateResolver', () => {
  it.each<[string, unknown, unknown]>([
    ['a queue', { Ref: 'Work' }, 'http://127.0.0.1:1/000000000000/Demo-Work.fifo'],
    ['an ARN', { 'Fn::GetAtt': ['Work', 'Arn'] }, 'arn:aws:sqs:eu-west-1:000000000000:Demo-Work.fifo'],
    ['a dotted attribute', { 'Fn::GetAtt': 'State.Arn' }, 'arn:aws:dynamodb:eu-west-1:000000000000:table/Demo-State'],
    ['a name that the template sets', { 'Fn::GetAtt': ['Named', 'QueueName'] }, 'Demo-q'],
    ['an alias', { Ref: 'Live' }, 'arn:aws:lambda:eu-west-1:000000000000:function:Demo-Scan:live'],
    [
      'a schedule',
      { 'Fn::GetAtt': ['Tick', 'Arn'] },
      'arn:aws:scheduler:eu-west-1:000000000000:schedule/Demo-Group/Demo-Tick',
    ],
    ['a parameter', { Ref: 'Size' }, '3'],
    ['a join', { 'Fn::Join': ['-', [{ Ref: 'AWS::Region' }, 'x', { Ref: 'AWS::Partition' }]] }, 'eu-west-1-x-aws'],
    [
      'a selected part',
      { 'Fn::Select': [5, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Work', 'Arn'] }] }] },
      'Demo-Work.fifo',
    ],
    [
      'a substitution',
      { 'Fn::Sub': ['${a}:${State}:${State.Arn}:${!kept}', { a: { Ref: 'Size' } }] },
      '3:Demo-State:arn:aws:dynamodb:eu-west-1:000000000000:table/Demo-State:${kept}',
    ],
    ['a member of an object', { deep: [{ Ref: 'State' }, { Ref: 'AWS::NoValue' }] }, { deep: ['Demo-State'] }],
  ])('resolves %s', (_name, value, expected) => {
    expect(resolver.resolve(value, 'here')).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['an attribute that is not known locally', { 'Fn::GetAtt': ['Other', 'Endpoint.Address'] }],
    ['a resource that is not there', { Ref: 'Nobody' }],
    ['a parameter without a default', { Ref: 'Needed' }],
    ['an import of another stack', { 'Fn::ImportValue': 'x' }],
    ['a place outside a list', { 'Fn::Select': [9, ['a']] }],
  ])('rejects %s with its path', (_name, value) => {
    expect(() => resolver.resolve({ Url: value }, 'Scan.Environment')).toThrow(
      /^Scan\.Environment\.Url: received .*\[UnresolvedIntrinsic\]$/s,
    );
  });

  it('gives long logical ids different names that every service takes', () => {
    const id = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '1'), minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(id, id, (one, other) => {
        fc.pre(one !== other);
        const queue = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } };
        const names = new TemplateResolver({ Resources: { [one]: queue, [other]: queue } }, SCOPE);
        const [first, second] = [names.physicalName(one), names.physicalName(other)];
        expect(first).not.toBe(second);
        expect(first).toMatch(/^[A-Za-z0-9-]{1,75}\.fifo$/);
      }),
    );
  });

  it('leaves values without intrinsic functions as they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        fc.pre(!/"(Ref|Fn::[^"]*|__proto__)":/.exec(JSON.stringify(plain)));
        expect(resolver.resolve(plain, '')).toEqual(plain);
      }),
    );
  });
});
