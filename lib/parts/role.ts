import { PolicyDocument, Role } from 'aws-cdk-lib/aws-iam';
import type { IPrincipal, IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Permission } from './permissions';

/** A role of a fanout. */
export interface RolePart {
  readonly id: string;
  /** The role that the user brings, if any. */
  readonly brought: IRole | undefined;
  /** Who assumes a role that is made. */
  readonly assumedBy: IPrincipal;
  readonly permissions: readonly Permission[];
}

/**
 * Makes a role, or takes the one that is brought, and lets it do what it must. A role that is made holds its policy itself instead of in a resource of its own:
 * that makes one resource less of the 500 of a stack, and a role is never there without its permissions.
 */
export function createRole(scope: Construct, { id, brought, assumedBy, permissions }: RolePart): IRole {
  const statements = permissions.map(({ statement }) => statement);
  if (brought !== undefined) {
    statements.forEach((statement) => brought.addToPrincipalPolicy(statement));
  }
  const inlinePolicies = { Fanout: new PolicyDocument({ statements }) };
  const role = brought ?? new Role(scope, id, { assumedBy, inlinePolicies });
  permissions.forEach(({ useKey }) => useKey?.(role));
  return role;
}
