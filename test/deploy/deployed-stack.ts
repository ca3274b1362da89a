import { DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { Clients } from './clients';
import type { CdkCli, Template, TemplateResource } from './cdk-cli';

/** Where the CDK writes the construct path of a resource. */
const PATH = 'aws:cdk:path';

/** A resource of a stack. */
export interface DeployedResource {
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
  readonly status: string;
}

/** A stack as it is deployed, by the paths of its constructs. */
export class DeployedStack {
  private constructor(
    readonly name: string,
    readonly template: Template,
    readonly resources: readonly DeployedResource[],
  ) {}

  /** Reads what is deployed now. */
  static async read({ cloudFormation }: Clients, cli: CdkCli, name: string): Promise<DeployedStack> {
    const resources: DeployedResource[] = [];
    for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: name })) {
      for (const summary of page.StackResourceSummaries ?? []) {
        resources.push({
          logicalId: summary.LogicalResourceId ?? '',
          physicalId: summary.PhysicalResourceId ?? '',
          type: summary.ResourceType ?? '',
          status: summary.ResourceStatus ?? '',
        });
      }
    }
    return new DeployedStack(name, cli.template(name), resources);
  }

  /** Physical id of the resource of a construct, e.g. `BookingJobs/Queue`. */
  id(constructPath: string): string {
    const logicalId = this.logicalId(constructPath);
    const resource = this.resources.find((deployed) => deployed.logicalId === logicalId);
    if (resource === undefined) {
      throw new Error(`${constructPath} is not deployed`);
    }
    return resource.physicalId;
  }

  /** What the template asks for. */
  resource(constructPath: string): TemplateResource {
    const resource = this.template.Resources[this.logicalId(constructPath)];
    if (resource === undefined) {
      throw new Error(`the template has no resource ${constructPath}`);
    }
    return resource;
  }

  private logicalId(constructPath: string): string {
    const path = new RegExp(`^${this.name}/${constructPath}(/Resource)?$`);
    const resources = Object.entries(this.template.Resources);
    const found = resources.find(([, { Metadata }]) => path.test(Metadata?.[PATH] ?? ''));
    if (found === undefined) {
      const paths = resources.map(([, { Metadata }]) => Metadata?.[PATH]).join(', ');
      throw new Error(`no construct ${constructPath} in the template; it has ${paths}`);
    }
    return found[0];
  }
}

/** State of a stack, e.g. `UPDATE_COMPLETE`; `undefined` when there is none. */
export async function stackStatus({ cloudFormation }: Clients, name: string): Promise<string | undefined> {
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) {
      return undefined;
    }
    throw error;
  }
}
