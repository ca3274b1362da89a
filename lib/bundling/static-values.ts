import type { Expression, MemberExpression, ObjectExpression } from 'acorn';
import type { ModuleScope } from './module-scope';

/** A chain of names that is longer is a circle. */
const MAX_NAMES = 20;

/**
 * What a name stands for, through other names; `undefined` for a function or a class, and the name itself where it stands for something that is not known.
 */
export function resolved(value: Expression, scope: ModuleScope): Expression | undefined {
  let expression: Expression | undefined = value;
  for (let hops = 0; expression?.type === 'Identifier' && hops < MAX_NAMES; hops++) {
    if (!scope.constants.has(expression.name)) {
      return expression;
    }
    expression = scope.constants.get(expression.name);
  }
  return expression;
}

/** The value that a property of an object has at the end; a spread after it may have changed it. */
export function propertyOf({ properties }: ObjectExpression, name: string): Expression | 'absent' | 'unknown' {
  let found: Expression | 'absent' | 'unknown' = 'absent';
  for (const property of properties) {
    if (property.type === 'SpreadElement' || property.computed) {
      found = 'unknown';
    } else if (keyOf(property.key) === name) {
      found = property.kind === 'init' ? property.value : 'unknown';
    }
  }
  return found;
}

const keyOf = (key: Expression): string | undefined =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;

/** The text that an expression always gives; `undefined` where that is not known. */
export function textOf(value: Expression, scope: ModuleScope): string | undefined {
  const expression = resolved(value, scope);
  if (expression?.type === 'Literal') {
    return typeof expression.value === 'string' ? expression.value : undefined;
  }
  if (expression?.type === 'TemplateLiteral') {
    const inner = expression.expressions.map((part) => textOf(part, scope));
    const parts = expression.quasis.flatMap(({ value: { cooked } }, place) => [cooked ?? '', inner[place] ?? '']);
    return inner.includes(undefined) ? undefined : parts.join('');
  }
  if (expression?.type === 'BinaryExpression' && expression.operator === '+') {
    const { left, right } = expression;
    const parts = left.type === 'PrivateIdentifier' ? [undefined] : [textOf(left, scope), textOf(right, scope)];
    return parts.includes(undefined) ? undefined : parts.join('');
  }
  return expression?.type === 'MemberExpression' ? memberText(expression, scope) : undefined;
}

/** `TYPES.reminder`, of an object that is written down. */
function memberText({ object, property, computed }: MemberExpression, scope: ModuleScope): string | undefined {
  if (object.type === 'Super' || computed || property.type === 'PrivateIdentifier') {
    return undefined;
  }
  const holder = resolved(object, scope);
  const name = keyOf(property);
  const found = holder?.type === 'ObjectExpression' && name !== undefined ? propertyOf(holder, name) : undefined;
  return typeof found === 'object' ? textOf(found, scope) : undefined;
}
