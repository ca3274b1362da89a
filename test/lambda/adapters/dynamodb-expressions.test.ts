import fc from 'fast-check';
import { expressionsOf } from '../../../lambda/adapters/dynamodb-expressions';
import type { Condition } from '../../../lambda/ports';
import { when } from '../../../lambda/ports';

const text = (condition: Condition): string => {
  const { ConditionExpression = '', ExpressionAttributeNames = {} } = expressionsOf(condition);
  return ConditionExpression.replace(/#n\d+/g, (placeholder) => ExpressionAttributeNames[placeholder] ?? placeholder);
};
const a = when.absent('a');
const b = when.absent('b');
const c = when.absent('c');

describe('expressionsOf', () => {
  it('writes lists within a list of the same kind as one, and a part that comes twice once', () => {
    expect(text(when.all(when.all(a, b), when.all(a, c)))).toBe(
      'attribute_not_exists(a) AND attribute_not_exists(b) AND attribute_not_exists(c)',
    );
    expect(text(when.any(when.any(a, b), b))).toBe('attribute_not_exists(a) OR attribute_not_exists(b)');
  });

  it('keeps the parentheses of lists of the other kind', () => {
    expect(text(when.all(a, when.any(b, c)))).toBe(
      'attribute_not_exists(a) AND (attribute_not_exists(b) OR attribute_not_exists(c))',
    );
  });

  it('writes a list that comes down to one part without parentheses', () => {
    expect(text(when.all(when.any(a, a), when.not(when.not(b))))).toBe(
      'attribute_not_exists(a) AND attribute_not_exists(b)',
    );
    expect(text(when.all(when.any(a), a))).toBe('attribute_not_exists(a)');
  });

  it('means the same as the condition', () => {
    const leaf = fc.constantFrom('a', 'b', 'c').map((name): Condition => when.absent(name));
    const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
      condition: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((of): Condition => when.all(...of)),
        fc.array(tie('condition'), { minLength: 1, maxLength: 3 }).map((of): Condition => when.any(...of)),
        tie('condition').map((of): Condition => when.not(of)),
      ),
    }));
    fc.assert(
      fc.property(condition, fc.subarray(['a', 'b', 'c']), (one, stored) => {
        expect(truth(text(one), stored)).toBe(holds(one, stored));
      }),
    );
  });
});

function holds(condition: Condition, stored: readonly string[]): boolean {
  switch (condition.op) {
    case 'all':
      return condition.of.every((part) => holds(part, stored));
    case 'any':
      return condition.of.some((part) => holds(part, stored));
    case 'not':
      return !holds(condition.of, stored);
    case 'absent':
      return !stored.includes(condition.path[0]);
    case 'present':
    case 'compare':
    case 'contains':
      throw new Error(`${condition.op} is not drawn`);
  }
}

/** Reads an expression of `attribute_not_exists`, `AND`, `OR`, `NOT` and parentheses by the precedence of DynamoDB. */
function truth(expression: string, stored: readonly string[]): boolean {
  const tokens = expression.match(/attribute_not_exists\(\w\)|AND|OR|NOT|\(|\)/g) ?? [];
  const or = (): boolean => {
    let value = and();
    while (tokens[0] === 'OR') {
      tokens.shift();
      value = and() || value;
    }
    return value;
  };
  const and = (): boolean => {
    let value = not();
    while (tokens[0] === 'AND') {
      tokens.shift();
      value = not() && value;
    }
    return value;
  };
  const not = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token === 'NOT') {
      return !not();
    }
    if (token === '(') {
      const value = or();
      tokens.shift();
      return value;
    }
    return !stored.includes(token.charAt('attribute_not_exists('.length));
  };
  return or();
}
