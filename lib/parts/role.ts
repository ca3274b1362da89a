import { Policy, PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import type { IPrincipal, IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct, IDependable } from 'constructs';
import { attachWarnings } from '../warnings';
import { acknowledge } from './findings';
import type { KeyUse, Permission } from './permissions';

/** A role of a fanout. */
export interface RolePart {
  readonly id: string;
  /** The role that the user brings, if any. */
  readonly brought: IRole | undefined;
  /** Who assumes a role that is made. */
  readonly assumedBy: IPrincipal;
  readonly permissions: readonly Permission[];
  /** What only a role of the fanout's own is held to: a role that is brought may serve others too. */
  readonly restrictions?: readonly Permission[];
}

/** A role, with everything that has to be there before it can do what it must. */
export interface RoleWithPolicies {
  readonly role: IRole;
  readonly policies: readonly IDependable[];
}

/**
 * Makes a role, or takes the one that is brought, and lets it do what it must. A role that is made holds its policy itself instead of in a resource of its own:
 * that makes one resource less of the 500 of a stack, and a role is never there without its permissions.
 */
export function createRole(scope: Construct, part: RolePart): RoleWithPolicies {
  const made = part.brought === undefined ? makeRole(scope, part) : extendRole(scope, part, part.brought);
  part.permissions.forEach(({ grant }) => grant?.(made.role));
  part.permissions
    .flatMap(({ keys = [] }) => keys)
    .forEach((use) => {
      allowKey(scope, part.id, made.role, use);
    });
  return made;
}

/** A key that was imported by an alias drops what it is to grant, and says nothing. */
function allowKey(scope: Construct, id: string, role: IRole, { key, actions }: KeyUse): void {
  if (key?.grant(role, ...actions).success === false) {
    attachWarnings(scope, [
      {
        id: 'cron-fanout:keyNotGranted',
        message: `${id} could not be allowed to use ${key.node.path}: it needs ${actions.join(', ')} with it. Import the key by its ARN, Key.fromKeyArn(scope, id, keyArn), or allow it yourself`,
      },
    ]);
  }
}

function makeRole(scope: Construct, { id, assumedBy, permissions, restrictions = [] }: RolePart): RoleWithPolicies {
  const inline = [...permissions, ...restrictions];
  const statements = inline.flatMap((permission) => permission.statements);
  const role = new Role(scope, id, { assumedBy, inlinePolicies: { Fanout: new PolicyDocument({ statements }) } });
  // Of the resource alone: what users grant stands in a policy beside it, and is still looked at.
  acknowledge(role.node.defaultChild, findingsOf(inline));
  return { role, policies: [role] };
}

/** What is allowed on all resources comes in a policy of the fanout's own, so that it is acknowledged there and not in the user's role. */
function extendRole(scope: Construct, { id, permissions }: RolePart, role: IRole): RoleWithPolicies {
  const [broad, narrow] = [true, false].map((wanted) =>
    permissions.filter(({ findings }) => (findings !== undefined) === wanted),
  ) as [Permission[], Permission[]];
  narrow.flatMap(({ statements }) => statements).forEach((statement) => role.addToPrincipalPolicy(statement));
  if (broad.length === 0) {
    return { role, policies: [role] };
  }
  const policy = new Policy(scope, `${id}OnAllResources`, {
    statements: broad.flatMap(({ statements }) => statements),
  });
  role.attachInlinePolicy(policy);
  acknowledge(policy.node.defaultChild, findingsOf(broad));
  return { role, policies: [role, policy] };
}

function findingsOf(permissions: readonly Permission[]): NonNullable<Permission['findings']> {
  const findings = permissions.flatMap((permission) => permission.findings ?? []);
  const ids = [...new Set(findings.map(({ id }) => id))];
  return ids.map((id) => ({
    id,
    reason: findings
      .filter((finding) => finding.id === id)
      .map(({ reason }) => reason)
      .join('; '),
  }));
}
