import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { ENVIRONMENT } from '../../lambda/contract';
import type { SynthesizedStack } from './assembly';
import { LOCAL_ACCOUNT } from './assembly';
import type { FunctionDescription } from './function-pool';
import { tableInput } from './table-input';
import { TemplateResolver } from './template';

/** A queue to create. */
export interface QueueDescription {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** Attributes as `CreateQueue` takes them. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A table to create. */
export interface TableDescription {
  /** Construct path within the stack, or the logical id of a table that no construct made. */
  readonly path: string;
  readonly name: string;
  readonly input: CreateTableCommandInput;
}

/** What becomes of asynchronous invocations that fail. */
export interface AsynchronousConfiguration {
  /** Retries after a failure, 0 to 2. */
  readonly retries: number;
  /** Age after which an event is discarded, in seconds. */
  readonly maximumAgeSeconds: number;
  /** ARN that discarded events are sent to. */
  readonly failureDestination?: string;
}

/** A function of a fanout. */
export interface FanoutFunction extends FunctionDescription {
  readonly fanoutId: string;
  readonly asynchronous: AsynchronousConfiguration;
}

/** An event source mapping of a function. */
export interface MappingDescription {
  readonly functionName: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Invocations at once; absent: only the function's own concurrency limits them. */
  readonly maximumConcurrency?: number;
  readonly reportBatchItemFailures: boolean;
}

/** A schedule, its input still with the attributes that EventBridge Scheduler fills in. */
export interface ScheduleDescription {
  readonly name: string;
  readonly arn: string;
  readonly expression: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly input: string;
}

/** Everything of a stack that a local run creates. */
export interface LocalResources {
  readonly queues: readonly QueueDescription[];
  readonly tables: readonly TableDescription[];
  readonly functions: readonly FanoutFunction[];
  readonly mappings: readonly MappingDescription[];
  readonly schedules: readonly ScheduleDescription[];
}

/** Attributes of a queue that `CreateQueue` takes under the names that the template has. */
const QUEUE_ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoQueue',
  'FifoThroughputLimit',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedriveAllowPolicy',
  'RedrivePolicy',
  'VisibilityTimeout',
] as const;

/** Defaults of AWS Lambda. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-lambda-function.html */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MEBIBYTES = 128;
const DEFAULT_BATCH_SIZE = 10;
const DEFAULT_RETRIES = 2;
const DEFAULT_EVENT_AGE_SECONDS = 21_600;

type Properties = Readonly<Record<string, unknown>>;

/**
 * Reads what to create from a synthesized stack: queues, tables, the functions of its fanouts, what feeds them, and what starts them.
 *
 * @param queueUrl URL of the embedded queue with a name
 * @throws CronFanoutError `UnresolvedIntrinsic` or `UnknownAsset`
 */
export function readResources(stack: SynthesizedStack, queueUrl: (queueName: string) => string): LocalResources {
  const resolver = new TemplateResolver(stack.template, { ...stack, account: LOCAL_ACCOUNT, queueUrl });
  const functions = readFunctions(stack, resolver);
  const names = new Set(functions.map(({ name }) => name));
  return {
    queues: readQueues(resolver),
    tables: resolver.resources('AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table').map(([logicalId, resource]) => {
      const { Properties = {} } = resource;
      const name = resolver.physicalName(logicalId);
      const path = stack.constructPath(logicalId);
      return { path, name, input: tableInput(name, resolver.resolve(Properties, logicalId) as Properties) };
    }),
    functions,
    mappings: readMappings(resolver).filter(({ functionName }) => names.has(functionName)),
    schedules: readSchedules(resolver).filter(({ targetArn }) => names.has(functionNameOf(targetArn))),
  };
}

/** Name of a function, from its name or an ARN of it, of a version or of an alias. */
export function functionNameOf(nameOrArn: string): string {
  const [, , , , , , name] = nameOrArn.split(':');
  return nameOrArn.startsWith('arn:') ? (name ?? nameOrArn) : (nameOrArn.split(':')[0] ?? nameOrArn);
}

function readQueues(resolver: TemplateResolver): QueueDescription[] {
  return resolver.resources('AWS::SQS::Queue').map(([logicalId, { Properties = {} }]) => {
    const name = resolver.physicalName(logicalId);
    const given = QUEUE_ATTRIBUTES.filter((attribute) => Properties[attribute] !== undefined);
    const attributes = given.map((attribute) => [attribute, attributeText(resolver, logicalId, attribute, Properties)]);
    return {
      logicalId,
      name,
      arn: resolver.arn('sqs', name),
      attributes: Object.fromEntries(attributes) as Record<string, string>,
    };
  });
}

function attributeText(
  resolver: TemplateResolver,
  logicalId: string,
  attribute: string,
  properties: Properties,
): string {
  const value = resolver.resolve(properties[attribute], `${logicalId}.${attribute}`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readFunctions(stack: SynthesizedStack, resolver: TemplateResolver): FanoutFunction[] {
  return resolver.resources('AWS::Lambda::Function').flatMap(([logicalId, { Properties = {} }]) => {
    const variables = (Properties.Environment as { Variables?: Properties } | undefined)?.Variables ?? {};
    if (variables[ENVIRONMENT.fanoutId] === undefined) {
      return [];
    }
    const environment = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        name,
        resolver.text(value, `${logicalId}.Environment.Variables.${name}`),
      ]),
    );
    const name = resolver.physicalName(logicalId);
    const { ReservedConcurrentExecutions: reserved } = Properties as { ReservedConcurrentExecutions?: number };
    return {
      name,
      arn: resolver.arn('lambda', `function:${name}`),
      directory: stack.assetPath(
        resolver.text((Properties.Code as Properties | undefined)?.S3Key, `${logicalId}.Code.S3Key`),
      ),
      handler: resolver.text(Properties.Handler, `${logicalId}.Handler`),
      environment,
      timeoutSeconds: Number(Properties.Timeout ?? DEFAULT_TIMEOUT_SECONDS),
      memoryMebibytes: Number(Properties.MemorySize ?? DEFAULT_MEMORY_MEBIBYTES),
      ...(reserved !== undefined && { reservedConcurrency: reserved }),
      fanoutId: environment[ENVIRONMENT.fanoutId] ?? '',
      asynchronous: readAsynchronous(resolver, name),
    };
  });
}

function readAsynchronous(resolver: TemplateResolver, functionName: string): AsynchronousConfiguration {
  const found = resolver.resources('AWS::Lambda::EventInvokeConfig').find(([logicalId, { Properties = {} }]) => {
    return functionNameOf(resolver.text(Properties.FunctionName, `${logicalId}.FunctionName`)) === functionName;
  });
  const [logicalId = '', { Properties = {} } = {}] = found ?? [];
  const destination = (Properties.DestinationConfig as { OnFailure?: { Destination?: unknown } } | undefined)?.OnFailure
    ?.Destination;
  return {
    retries: Number(Properties.MaximumRetryAttempts ?? DEFAULT_RETRIES),
    maximumAgeSeconds: Number(Properties.MaximumEventAgeInSeconds ?? DEFAULT_EVENT_AGE_SECONDS),
    ...(destination !== undefined && {
      failureDestination: resolver.text(destination, `${logicalId}.DestinationConfig.OnFailure.Destination`),
    }),
  };
}

function readMappings(resolver: TemplateResolver): MappingDescription[] {
  return resolver.resources('AWS::Lambda::EventSourceMapping').flatMap(([logicalId, { Properties = {} }]) => {
    if (Properties.Enabled === false) {
      return [];
    }
    const scaling = Properties.ScalingConfig as { MaximumConcurrency?: number } | undefined;
    const responses = (Properties.FunctionResponseTypes ?? []) as string[];
    return {
      functionName: functionNameOf(resolver.text(Properties.FunctionName, `${logicalId}.FunctionName`)),
      queueArn: resolver.text(Properties.EventSourceArn, `${logicalId}.EventSourceArn`),
      batchSize: Number(Properties.BatchSize ?? DEFAULT_BATCH_SIZE),
      ...(scaling?.MaximumConcurrency !== undefined && { maximumConcurrency: scaling.MaximumConcurrency }),
      reportBatchItemFailures: responses.includes('ReportBatchItemFailures'),
    };
  });
}

function readSchedules(resolver: TemplateResolver): ScheduleDescription[] {
  return resolver.resources('AWS::Scheduler::Schedule').map(([logicalId, { Properties = {} }]) => {
    const target = Properties.Target as { Arn?: unknown; Input?: unknown };
    return {
      name: resolver.physicalName(logicalId),
      arn: resolver.text({ 'Fn::GetAtt': [logicalId, 'Arn'] }, logicalId),
      expression: resolver.text(Properties.ScheduleExpression, `${logicalId}.ScheduleExpression`),
      enabled: Properties.State !== 'DISABLED',
      targetArn: resolver.text(target.Arn, `${logicalId}.Target.Arn`),
      input: target.Input === undefined ? '{}' : resolver.text(target.Input, `${logicalId}.Target.Input`),
    };
  });
}
