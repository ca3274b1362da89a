import type { CfnElement, Stack } from 'aws-cdk-lib';
import { CfnElement as Element } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';

/** What somebody may do, or may not, as a template says it. */
export interface Grant {
  /** Who: the path of a role, a service, or everyone. */
  readonly who: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  /** What on: paths of constructs, or ARNs. */
  readonly resources: readonly string[];
  /** In words; empty where there is none. */
  readonly condition: string;
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Document {
  readonly Statement: readonly Statement[];
}

/** Every property of a resource that can hold a policy. */
interface Properties {
  readonly Policies?: readonly { readonly PolicyDocument: Document }[];
  readonly ManagedPolicyArns?: readonly unknown[];
  readonly AssumeRolePolicyDocument?: Document;
  readonly PolicyDocument?: Document;
  readonly KeyPolicy?: Document;
  readonly Roles?: readonly unknown[];
  readonly Queues?: readonly unknown[];
  readonly Principal?: unknown;
}

interface Resource {
  readonly id: string;
  readonly type: string;
  readonly properties: Properties;
}

/** Reads all policies of a template. Names are paths of constructs below the stack; `names` gives other ones to texts. */
export class TemplatePolicies {
  private readonly resources: readonly Resource[];
  private readonly paths: ReadonlyMap<string, string>;

  constructor(
    stack: Stack,
    private readonly names: Readonly<Record<string, string>> = {},
  ) {
    const { Resources } = Template.fromStack(stack).toJSON() as {
      readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
    };
    this.resources = Object.entries(Resources).map(([id, { Type, Properties: properties = {} }]) => ({
      id,
      type: Type,
      properties,
    }));
    const elements = stack.node.findAll().filter((child): child is CfnElement => Element.isCfnElement(child));
    this.paths = new Map(
      elements.map((element) => [
        stack.resolve(element.logicalId) as string,
        element.node.path.slice(stack.node.path.length + 1).replace(/\/(Resource|Default)$/, ''),
      ]),
    );
  }

  /** What roles may do. */
  ofRoles(): Grant[] {
    const inline = this.of('AWS::IAM::Role').flatMap(({ id, properties }) =>
      (properties.Policies ?? []).flatMap(({ PolicyDocument }) => this.read(PolicyDocument, this.pathOf(id))),
    );
    const attached = this.of('AWS::IAM::Policy').flatMap(({ properties }) =>
      (properties.Roles ?? []).flatMap((role) => this.read(properties.PolicyDocument, this.text(role))),
    );
    const managed = this.of('AWS::IAM::Role').flatMap(({ id, properties }) =>
      (properties.ManagedPolicyArns ?? []).map((arn) => ({
        who: this.pathOf(id),
        effect: 'Allow' as const,
        actions: [`all of ${this.text(arn)}`],
        resources: ['*'],
        condition: '',
      })),
    );
    return merged([...inline, ...attached, ...managed]);
  }

  /** Who may become a role. */
  ofTrust(): Grant[] {
    return this.of('AWS::IAM::Role').flatMap(({ id, properties }) =>
      this.read(properties.AssumeRolePolicyDocument, '', [this.pathOf(id)]),
    );
  }

  /** What the policies of queues, keys, functions and anything else that has one say. */
  ofResources(): Grant[] {
    const read = ({ id, type, properties }: Resource): Grant[] => {
      switch (type) {
        case 'AWS::IAM::Role':
        case 'AWS::IAM::Policy':
          return [];
        case 'AWS::SQS::QueuePolicy':
          return this.read(properties.PolicyDocument, '');
        case 'AWS::KMS::Key':
          return this.read(properties.KeyPolicy, '', [this.pathOf(id)]);
        default:
          return [properties.PolicyDocument, properties.KeyPolicy].flatMap((document) => this.read(document, ''));
      }
    };
    return merged(this.resources.flatMap(read));
  }

  private of(type: string): Resource[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  private read(document: Document | undefined, who: string, on?: readonly string[]): Grant[] {
    return (document?.Statement ?? []).map((statement) => ({
      who: who === '' ? this.text(statement.Principal) : who,
      effect: statement.Effect,
      actions: [statement.Action].flat().toSorted(),
      resources:
        on ??
        [statement.Resource]
          .flat()
          .map((value) => this.text(value))
          .toSorted(),
      condition: this.conditionOf(statement),
    }));
  }

  private conditionOf({ Condition = {} }: Statement): string {
    return Object.entries(Condition)
      .flatMap(([operator, keys]) =>
        Object.entries(keys).map(
          ([key, values]) =>
            `${key} ${operator} ${[values]
              .flat()
              .map((value) => this.text(value))
              .join(' or ')}`,
        ),
      )
      .join('; and ');
  }

  /** Intrinsic functions in words. */
  private text(value: unknown): string {
    const text = this.plain(value);
    return Object.entries(this.names).reduce((result, [name, given]) => result.replaceAll(name, given), text);
  }

  private plain(value: unknown): string {
    if (typeof value !== 'object' || value === null) {
      return String(value);
    }
    const [name, argument] = Object.entries(value as Readonly<Record<string, unknown>>)[0] ?? ['', ''];
    switch (name) {
      case 'Ref':
        return String(argument).startsWith('AWS::') ? `<${String(argument).slice(5)}>` : this.pathOf(String(argument));
      case 'Fn::GetAtt':
        return this.pathOf(String((argument as readonly unknown[])[0]));
      case 'Fn::Join':
        return (argument as readonly [string, readonly unknown[]])[1].map((part) => this.plain(part)).join('');
      case 'Service':
      case 'AWS':
        return this.plain(argument);
      default:
        return JSON.stringify(value);
    }
  }

  private pathOf(id: string): string {
    return this.paths.get(id) ?? id;
  }
}

/** Grants of one condition and resource as one. */
function merged(grants: readonly Grant[]): Grant[] {
  const groups = new Map<string, Grant>();
  for (const grant of grants) {
    const key = JSON.stringify([grant.who, grant.effect, grant.resources, grant.condition]);
    const actions = new Set([...(groups.get(key)?.actions ?? []), ...grant.actions]);
    groups.set(key, { ...grant, actions: [...actions].toSorted() });
  }
  return [...groups.values()];
}
