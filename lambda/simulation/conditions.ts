import type { Attribute, Comparison, Condition, Path } from '../ports';

type Stored = Readonly<Record<string, Attribute | undefined>> | undefined;

/** The attribute at a path; `undefined` where a part of it is absent. */
export function attributeAt(item: Stored, path: Path): Attribute | undefined {
  let value: unknown = item;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value as Attribute | undefined;
}

/** Whether a condition holds of a stored item, as DynamoDB would decide it. */
export function holds(item: Stored, condition: Condition): boolean {
  switch (condition.op) {
    case 'absent':
      return attributeAt(item, condition.path) === undefined;
    case 'present':
      return attributeAt(item, condition.path) !== undefined;
    case 'compare':
      return compares(attributeAt(item, condition.path), condition.is, condition.value);
    case 'contains':
      return contains(attributeAt(item, condition.path), condition.member);
    case 'all':
      return condition.of.every((part) => holds(item, part));
    case 'any':
      return condition.of.some((part) => holds(item, part));
    case 'not':
      return !holds(item, condition.of);
  }
}

function contains(stored: Attribute | undefined, member: string | number): boolean {
  return stored instanceof Set && (stored as ReadonlySet<string | number>).has(member);
}

function compares(stored: Attribute | undefined, is: Comparison, value: string | number | boolean): boolean {
  if (is === '=' || is === '<>') {
    // An absent attribute equals nothing; DynamoDB answers true for `<>` on it, so a policy must not rely on that.
    return (stored === value) === (is === '=');
  }
  if (typeof stored !== typeof value || typeof stored === 'boolean') {
    return false;
  }
  const [left, right] = [stored as string | number, value as string | number];
  switch (is) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}
