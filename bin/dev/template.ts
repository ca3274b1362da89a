import { createHash } from 'node:crypto';
import { CronFanoutError } from '../../lambda/contract';
import type { Identity } from './resource-identity';
import { NAME_PROPERTIES, identify } from './resource-identity';

/** A resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** A CloudFormation template as the CDK writes it. */
export interface Template {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
}

/** Where the resources of a template live. */
export interface TemplateScope {
  readonly stackName: string;
  readonly account: string;
  readonly region: string;
  /** URL of the embedded queue with a name. */
  readonly queueUrl: (queueName: string) => string;
}

/** Length of the names that are made up here; SQS allows 80 with its suffix, Lambda 64. */
const NAME_LENGTH = 60;
const HASH_LENGTH = 8;
/** Everything lives in one partition locally, whatever the region: the embedded services know no other. */
const PARTITION = 'aws';

/** Turns the intrinsic functions of a template into the values that the resources have locally. */
export class TemplateResolver {
  private readonly identities = new Map<string, Identity>();

  constructor(
    private readonly template: Template,
    private readonly scope: TemplateScope,
  ) {}

  /** Resources of one type, by logical id. */
  resources(...types: string[]): [string, TemplateResource][] {
    return Object.entries(this.template.Resources ?? {}).filter(([, { Type }]) => types.includes(Type));
  }

  /**
   * A property's value, with every intrinsic function in it replaced.
   *
   * @param path where the value stands, for errors
   * @throws CronFanoutError `UnresolvedIntrinsic`
   */
  resolve(value: unknown, path: string): unknown {
    if (Array.isArray(value)) {
      return value.map((member, place) => this.resolve(member, `${path}[${place}]`)).filter((m) => m !== undefined);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const entries = Object.entries(value);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined && (only[0] === 'Ref' || only[0].startsWith('Fn::'))) {
      return this.intrinsic(only[0], only[1], path);
    }
    return Object.fromEntries(entries.map(([name, member]) => [name, this.resolve(member, `${path}.${name}`)]));
  }

  /** {@link resolve} for a value that is to be text. Numbers and booleans become text as CloudFormation makes them. */
  text(value: unknown, path: string): string {
    const resolved = this.resolve(value, path);
    if (typeof resolved === 'string' || typeof resolved === 'number' || typeof resolved === 'boolean') {
      return String(resolved);
    }
    throw unresolved(path, value, 'a text');
  }

  /** Name of a resource: the one that the template sets, or one made of stack name and logical id. */
  physicalName(logicalId: string): string {
    const resource = this.resource(logicalId, logicalId);
    const property = NAME_PROPERTIES[resource.Type];
    const given = property === undefined ? undefined : resource.Properties?.[property];
    if (given !== undefined) {
      return this.text(given, `${logicalId}.${property ?? ''}`);
    }
    const name = `${this.scope.stackName}-${logicalId}`;
    const short =
      name.length <= NAME_LENGTH
        ? name
        : `${name.slice(0, NAME_LENGTH - HASH_LENGTH)}${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}`;
    return resource.Properties?.FifoQueue === true ? `${short}.fifo` : short;
  }

  /** ARN of a resource of this stack. */
  arn(service: string, resource: string, regional = true): string {
    const { region, account } = this.scope;
    return `arn:${PARTITION}:${service}:${regional ? region : ''}:${account}:${resource}`;
  }

  private intrinsic(name: string, argument: unknown, path: string): unknown {
    switch (name) {
      case 'Ref':
        return argument === 'AWS::NoValue' ? undefined : this.ref(String(argument), path);
      case 'Fn::GetAtt': {
        const [logicalId, ...attribute] = Array.isArray(argument)
          ? argument.map((part) => this.text(part, path))
          : String(argument).split('.');
        return this.attribute(logicalId ?? '', attribute.join('.'), path);
      }
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown];
        return this.list(parts, path).join(separator);
      }
      case 'Fn::Split': {
        const [separator, text] = argument as [string, unknown];
        return this.text(text, path).split(separator);
      }
      case 'Fn::Select': {
        const [place, list] = argument as [unknown, unknown];
        const selected = this.list(list, path)[Number(this.text(place, path))];
        if (selected === undefined) {
          throw unresolved(path, { [name]: argument }, 'a place within the list');
        }
        return selected;
      }
      case 'Fn::Sub':
        return this.substitute(argument, path);
      default:
        throw unresolved(path, { [name]: argument }, 'Ref, Fn::GetAtt, Fn::Join, Fn::Split, Fn::Select or Fn::Sub');
    }
  }

  private list(value: unknown, path: string): string[] {
    const resolved = this.resolve(value, path);
    if (!Array.isArray(resolved)) {
      throw unresolved(path, value, 'a list');
    }
    return resolved.map((member) => this.text(member, path));
  }

  private substitute(argument: unknown, path: string): string {
    const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [
      string,
      Record<string, unknown>,
    ];
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
      if (literal === '!') {
        return `\${${name}}`;
      }
      if (Object.hasOwn(variables, name)) {
        return this.text(variables[name], path);
      }
      const dot = name.indexOf('.');
      return dot < 0 ? this.ref(name, path) : this.attribute(name.slice(0, dot), name.slice(dot + 1), path);
    });
  }

  private ref(name: string, path: string): string {
    const pseudo = this.pseudoParameter(name);
    if (pseudo !== undefined) {
      return pseudo;
    }
    const parameter = this.template.Parameters?.[name];
    if (parameter !== undefined) {
      if (parameter.Default === undefined) {
        throw unresolved(path, { Ref: name }, 'a parameter with a default');
      }
      return this.text(parameter.Default, path);
    }
    return this.identity(name, path).ref;
  }

  private pseudoParameter(name: string): string | undefined {
    const { stackName, region, account } = this.scope;
    switch (name) {
      case 'AWS::Region':
        return region;
      case 'AWS::AccountId':
        return account;
      case 'AWS::Partition':
        return PARTITION;
      case 'AWS::URLSuffix':
        return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
      case 'AWS::StackName':
        return stackName;
      case 'AWS::StackId':
        return this.arn('cloudformation', `stack/${stackName}/local`);
      default:
        return undefined;
    }
  }

  private attribute(logicalId: string, attribute: string, path: string): string {
    const { attributes } = this.identity(logicalId, path);
    const value = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
    if (value === undefined) {
      const known = Object.keys(attributes).join(', ');
      throw unresolved(path, { 'Fn::GetAtt': [logicalId, attribute] }, `of this resource locally: ${known}`);
    }
    return value;
  }

  private identity(logicalId: string, path: string): Identity {
    const known = this.identities.get(logicalId);
    if (known !== undefined) {
      return known;
    }
    const identity = identify(this.resource(logicalId, path).Type, {
      name: this.physicalName(logicalId),
      text: (property) => this.text(this.resource(logicalId, path).Properties?.[property], `${logicalId}.${property}`),
      has: (property) => this.resource(logicalId, path).Properties?.[property] !== undefined,
      arn: (service, resource, regional) => this.arn(service, resource, regional),
      queueUrl: this.scope.queueUrl,
    });
    this.identities.set(logicalId, identity);
    return identity;
  }

  private resource(logicalId: string, path: string): TemplateResource {
    const resource = this.template.Resources?.[logicalId];
    if (resource === undefined) {
      throw unresolved(path, { Ref: logicalId }, 'a resource or parameter of the same template');
    }
    return resource;
  }
}

function unresolved(path: string, value: unknown, allowed: string): CronFanoutError {
  return new CronFanoutError('UnresolvedIntrinsic', {
    what: path,
    received: JSON.stringify(value),
    allowed,
    change: 'give the value as a literal for local runs, or bring the resource into this stack',
  });
}
