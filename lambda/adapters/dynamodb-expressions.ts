import type { Change, Condition, Path } from '../ports';

/** An expression of DynamoDB with its placeholders. */
export interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

/** Collects the placeholders of one call: a name is given one placeholder, however often it occurs. */
class Placeholders {
  private readonly names = new Map<string, string>();
  private readonly values: Record<string, unknown> = {};
  private valueCount = 0;

  path(path: Path): string {
    return path.map((name) => this.name(name)).join('.');
  }

  value(value: unknown): string {
    const placeholder = `:v${this.valueCount++}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  collected(): Expressions {
    return {
      ...(this.names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...this.names].map(([name, placeholder]) => [placeholder, name])),
      }),
      ...(this.valueCount > 0 && { ExpressionAttributeValues: this.values }),
    };
  }

  private name(name: string): string {
    const placeholder = this.names.get(name) ?? `#n${this.names.size}`;
    this.names.set(name, placeholder);
    return placeholder;
  }
}

/** Turns a condition and a change into the parameters of a PutItem, UpdateItem or DeleteItem call. */
export function expressionsOf(condition?: Condition, change?: Change): Expressions {
  const placeholders = new Placeholders();
  const parts = {
    ...(condition !== undefined && { ConditionExpression: conditionText(simplified(condition), placeholders) }),
    ...(change !== undefined && { UpdateExpression: updateText(change, placeholders) }),
  };
  return { ...parts, ...placeholders.collected() };
}

/**
 * The same condition without what DynamoDB refuses to parse, lists of one part, whose parentheses are redundant, and double negations; and without what
 * makes it long and slow to parse: lists within a list of the same kind, and parts that come twice, as claims of several ordinals of a page have them.
 */
function simplified(condition: Condition): Condition {
  if (condition.op === 'all' || condition.op === 'any') {
    const parts = distinct(
      condition.of.map(simplified).flatMap((part) => (part.op === condition.op ? part.of : [part])),
    );
    const [only, ...others] = parts;
    return only !== undefined && others.length === 0 ? only : { op: condition.op, of: parts };
  }
  if (condition.op === 'not') {
    const of = simplified(condition.of);
    return of.op === 'not' ? of.of : { op: 'not', of };
  }
  return condition;
}

function distinct(conditions: readonly Condition[]): Condition[] {
  return [...new Map(conditions.map((condition) => [JSON.stringify(condition), condition])).values()];
}

function conditionText(condition: Condition, placeholders: Placeholders): string {
  switch (condition.op) {
    case 'absent':
      return `attribute_not_exists(${placeholders.path(condition.path)})`;
    case 'present':
      return `attribute_exists(${placeholders.path(condition.path)})`;
    case 'compare':
      return `${placeholders.path(condition.path)} ${condition.is} ${placeholders.value(condition.value)}`;
    case 'contains':
      return `contains(${placeholders.path(condition.path)}, ${placeholders.value(condition.member)})`;
    case 'not':
      return `NOT ${operand(condition.of, placeholders)}`;
    case 'all':
    case 'any':
      return condition.of.map((part) => operand(part, placeholders)).join(condition.op === 'all' ? ' AND ' : ' OR ');
  }
}

/** A condition as part of another. */
function operand(condition: Condition, placeholders: Placeholders): string {
  const text = conditionText(condition, placeholders);
  return condition.op === 'all' || condition.op === 'any' ? `(${text})` : text;
}

function updateText(change: Change, placeholders: Placeholders): string {
  const set = (change.set ?? []).map(([path, value]) => `${placeholders.path(path)} = ${placeholders.value(value)}`);
  const add = (change.add ?? []).map(([path, value]) => `${placeholders.path(path)} ${placeholders.value(value)}`);
  const remove = (change.remove ?? []).map((path) => placeholders.path(path));
  return [clause('SET', set), clause('ADD', add), clause('REMOVE', remove)].filter((text) => text !== '').join(' ');
}

function clause(keyword: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `${keyword} ${parts.join(', ')}`;
}
