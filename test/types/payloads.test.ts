import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FIXTURE = join(__dirname, 'fixtures', 'payloads.ts');
const ROOT = join(__dirname, '..', '..');

/** What the compiler says of each job of the fixture, by its name. */
function problemsByJob(): Map<string, string> {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, types: ['node'] }, ROOT);
  const program = ts.createProgram([FIXTURE], options);
  const source = program.getSourceFile(FIXTURE);
  const text = readFileSync(FIXTURE, 'utf8');
  const problems = new Map([...text.matchAll(/^export const (\w+)/gm)].map(([, name = '']) => [name, '']));
  for (const problem of program.getSemanticDiagnostics(source)) {
    const before = text.slice(0, problem.start);
    const name = /export const (\w+)(?!.*export const)/s.exec(before)?.[1] ?? '';
    problems.set(name, `${problems.get(name) ?? ''}${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  }
  return problems;
}

test('B43: records that JSON would change do not compile, and the compiler says what to do', () => {
  const problems = problemsByJob();
  expect(problems.get('generator')).toContain('JSON has no Date: yield date.toISOString()');
  expect(problems.get('chunks')).toContain('JSON has no Date: yield date.toISOString()');
  expect(problems.get('nested')).toContain('JSON has no bigint: yield String(value)');
  expect(problems.get('listed')).toContain('JSON has no Map or Set: yield an array or an object');
  expect(problems.get('set')).toContain('JSON has no Map or Set: yield an array or an object');
  expect(problems.get('fine')).toBe('');
  expect([...problems.keys()]).toEqual(['generator', 'chunks', 'nested', 'listed', 'set', 'fine']);
}, 30_000);
