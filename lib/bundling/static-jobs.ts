import type { CallExpression, Expression, SpreadElement, Super } from 'acorn';
import type { ModuleScope } from './module-scope';
import { propertyOf, resolved, textOf } from './static-values';

/** Where job modules import `defineJob` from, and its name there. */
export const JOB_API = { module: 'cron-fanout/job', define: 'defineJob' } as const;

/** A job that a module exports, as far as its source says. */
export interface StaticJob {
  /** `undefined` where it is computed. */
  readonly jobType: string | undefined;
  /** `undefined` where they are computed. */
  readonly aliases: readonly string[] | undefined;
}

/** The jobs that a module exports, found without running it. */
export interface StaticJobs {
  /** One for each call of `defineJob` that is exported, however often. */
  readonly jobs: readonly StaticJob[];
  /** Whether there are certainly no others. */
  readonly complete: boolean;
}

/** What an exported value holds: calls of `defineJob`, and whether nothing else in it can be a job. */
interface Held {
  readonly calls: readonly CallExpression[];
  readonly complete: boolean;
}

/** Expressions whose value is no job and holds none. */
const NO_JOBS: ReadonlySet<string> = new Set([
  'Literal',
  'TemplateLiteral',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassExpression',
]);
const NOTHING: Held = { calls: [], complete: true };
const UNKNOWN: Held = { calls: [], complete: false };

/** Finds the jobs that a module exports: by themselves, in a list, or as members of an object. */
export function staticJobs(scope: ModuleScope): StaticJobs {
  const held = scope.exports.map((value) => heldBy(value, scope, 'anything'));
  const calls = [...new Set(held.flatMap((value) => value.calls))];
  const jobs = calls.map((call) => readJob(call, scope));
  const known = jobs.every(({ jobType }) => jobType !== undefined);
  return { jobs, complete: scope.closed && known && held.every(({ complete }) => complete) };
}

/**
 * Looks into a value as the runtime does.
 *
 * @param depth `anything`: also into lists and objects; `job`: those hold nothing more
 */
function heldBy(value: Expression | undefined, scope: ModuleScope, depth: 'anything' | 'job'): Held {
  const expression = value === undefined ? undefined : resolved(value, scope);
  if (expression === undefined || NO_JOBS.has(expression.type)) {
    return NOTHING;
  }
  if (expression.type === 'CallExpression') {
    return isDefineJob(expression.callee, scope) ? { calls: [expression], complete: true } : UNKNOWN;
  }
  if (expression.type === 'ArrayExpression') {
    return depth === 'job' ? NOTHING : together(expression.elements.map((element) => member(element, scope)));
  }
  if (expression.type === 'ObjectExpression') {
    const properties = expression.properties.map((property) =>
      property.type === 'SpreadElement' || property.kind !== 'init' ? UNKNOWN : member(property.value, scope),
    );
    return depth === 'job' ? NOTHING : together(properties);
  }
  return UNKNOWN;
}

function member(element: Expression | SpreadElement | null, scope: ModuleScope): Held {
  if (element === null) {
    return NOTHING;
  }
  if (element.type !== 'SpreadElement') {
    return heldBy(element, scope, 'job');
  }
  const spread = resolved(element.argument, scope);
  return spread?.type === 'ArrayExpression' ? together(spread.elements.map((inner) => member(inner, scope))) : UNKNOWN;
}

const together = (all: readonly Held[]): Held => ({
  calls: all.flatMap(({ calls }) => calls),
  complete: all.every(({ complete }) => complete),
});

function isDefineJob(callee: Expression | Super, scope: ModuleScope): boolean {
  const of = (name: string, wanted: string): boolean => {
    const imported = scope.imports.get(name);
    return imported?.from === JOB_API.module && imported.name === wanted;
  };
  if (callee.type === 'Identifier') {
    return of(callee.name, JOB_API.define);
  }
  return (
    callee.type === 'MemberExpression' &&
    !callee.computed &&
    callee.object.type === 'Identifier' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === JOB_API.define &&
    (of(callee.object.name, '*') || of(callee.object.name, 'default'))
  );
}

function readJob({ arguments: [definition] }: CallExpression, scope: ModuleScope): StaticJob {
  const object =
    definition === undefined || definition.type === 'SpreadElement' ? undefined : resolved(definition, scope);
  if (object?.type !== 'ObjectExpression') {
    return { jobType: undefined, aliases: undefined };
  }
  const jobType = propertyOf(object, 'jobType');
  const aliases = propertyOf(object, 'aliases');
  return {
    jobType: typeof jobType === 'object' ? textOf(jobType, scope) : undefined,
    aliases: aliases === 'absent' ? [] : aliases === 'unknown' ? undefined : textsOf(aliases, scope),
  };
}

function textsOf(value: Expression, scope: ModuleScope): string[] | undefined {
  const list = resolved(value, scope);
  if (list?.type !== 'ArrayExpression') {
    return undefined;
  }
  const texts = list.elements.flatMap((element) =>
    element === null || element.type === 'SpreadElement' ? [] : (textOf(element, scope) ?? []),
  );
  return texts.length === list.elements.length ? texts : undefined;
}
