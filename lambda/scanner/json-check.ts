/** What JSON would lose or change in a value, and where. */
export interface JsonProblem {
  /** Path from the record, such as `$.lines[2].price`. */
  readonly path: string;
  readonly problem: string;
}

/** Deeper values would exhaust the stack of whoever reads them. */
const MAX_DEPTH = 200;
const MAX_PATH_LENGTH = 200;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * The first thing in a value that JSON does not keep; `undefined` where it keeps everything. A member of an object that is `undefined` is left out by JSON, and
 * that is what an optional member means.
 */
export function jsonProblem(value: unknown): JsonProblem | undefined {
  return inspect(value, '$', []);
}

function inspect(value: unknown, path: string, ancestors: object[]): JsonProblem | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : found(path, `JSON has no ${value}`);
    case 'bigint':
      return found(path, 'JSON has no bigint: yield String(value)');
    case 'undefined':
      return found(path, 'JSON has no undefined here');
    case 'function':
    case 'symbol':
      return found(path, `JSON has no ${typeof value}`);
    case 'object':
      return value === null ? undefined : inspectObject(value, path, ancestors);
  }
}

function inspectObject(value: object, path: string, ancestors: object[]): JsonProblem | undefined {
  if (ancestors.includes(value)) {
    return found(path, 'the value contains itself');
  }
  if (ancestors.length >= MAX_DEPTH) {
    return found(path, `the value is nested deeper than ${MAX_DEPTH}`);
  }
  const problem = Array.isArray(value) ? undefined : problemOfKind(value);
  if (problem !== undefined) {
    return found(path, problem);
  }
  ancestors.push(value);
  const inner = Array.isArray(value)
    ? inspectElements(value, path, ancestors)
    : inspectMembers(value as Record<string, unknown>, path, ancestors);
  ancestors.pop();
  return inner;
}

function problemOfKind(value: object): string | undefined {
  if (value instanceof Date || tagOf(value) === 'Date') {
    return 'JSON has no Date: yield date.toISOString()';
  }
  if (tagOf(value) === 'Map' || tagOf(value) === 'Set') {
    return `JSON has no ${tagOf(value)}: yield an array or an object`;
  }
  if (ArrayBuffer.isView(value) || tagOf(value) === 'ArrayBuffer') {
    return 'JSON has no bytes: yield a base64 text';
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    return 'JSON would replace it by what its toJSON returns: yield that';
  }
  return tagOf(value) === 'Object' ? undefined : `JSON has no ${tagOf(value)}`;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function inspectElements(value: readonly unknown[], path: string, ancestors: object[]): JsonProblem | undefined {
  // Not a for-of: the holes of a sparse array count as undefined.
  for (let place = 0; place < value.length; place++) {
    const problem = inspect(value[place], `${path}[${place}]`, ancestors);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function inspectMembers(value: Record<string, unknown>, path: string, ancestors: object[]): JsonProblem | undefined {
  for (const [name, member] of Object.entries(value)) {
    const step = PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    const problem = member === undefined ? undefined : inspect(member, path + step, ancestors);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function found(path: string, problem: string): JsonProblem {
  return { path: path.slice(0, MAX_PATH_LENGTH), problem };
}
