import type { IAspect } from 'aws-cdk-lib';
import { CfnRole } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';

/** A statement as it is in a template. */
interface Statement {
  readonly Action: string | readonly string[];
  readonly Condition?: unknown;
}

/** Actions that AWS allows together with the ones that they are batches of; MiniStack takes them for actions of their own. */
const BATCHES: Readonly<Record<string, string>> = {
  'sqs:SendMessage': 'sqs:SendMessageBatch',
  'sqs:DeleteMessage': 'sqs:DeleteMessageBatch',
  'sqs:ChangeMessageVisibility': 'sqs:ChangeMessageVisibilityBatch',
};

/**
 * Writes the policies of roles the way in which MiniStack can evaluate them: without the condition on the keys of items, which it does not know and would
 * take for a denial, and with batch actions named. Everything else stays (docs/emulator-differences.md).
 */
export class EvaluablePolicies implements IAspect {
  visit(node: IConstruct): void {
    if (node instanceof CfnRole && node.policies !== undefined) {
      const policies: unknown = node.stack.resolve(node.policies);
      node.policies = JSON.parse(JSON.stringify(policies), (_, value: unknown) =>
        isStatement(value) ? evaluable(value) : value,
      ) as CfnRole.PolicyProperty[];
    }
  }
}

function isStatement(value: unknown): value is Statement {
  return typeof value === 'object' && value !== null && 'Action' in value && 'Effect' in value;
}

function evaluable({ Action, Condition, ...statement }: Statement): Statement {
  const actions = [Action].flat();
  const batches = actions.flatMap((action) => BATCHES[action] ?? []);
  const isOnKeys = JSON.stringify(Condition ?? null).includes('dynamodb:LeadingKeys');
  return {
    ...statement,
    Action: [...actions, ...batches],
    ...(Condition === undefined || isOnKeys ? {} : { Condition }),
  };
}
