import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createHash } from 'node:crypto';
import { run } from './command';
import type { CommandOptions } from './command';

/** A function of a synthesized stack. */
export interface SynthesizedFunction {
  readonly id: string;
  /** Folder of its code. */
  readonly code: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Metadata?: Readonly<Record<string, string>>;
        readonly Properties?: {
          readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
        };
      }
    >
  >;
}

/** The fanout's functions in a cloud assembly, with the folders that hold their code. */
export function functionsIn(assembly: string, stackName: string): SynthesizedFunction[] {
  const template = JSON.parse(readFileSync(join(assembly, `${stackName}.template.json`), 'utf8')) as Template;
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([id, { Metadata, Properties }]) => ({
      id,
      code: join(assembly, Metadata?.['aws:asset:path'] ?? 'no asset'),
      environment: Object.fromEntries(
        Object.entries(Properties?.Environment?.Variables ?? {}).map(([name, value]) => [name, plain(value)]),
      ),
    }));
}

/** What a variable holds once it is deployed: references become some text. */
function plain(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const [separator, parts] = (value as { 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join'] ?? [];
  return parts === undefined ? 'reference' : parts.map(plain).join(separator);
}

/** What the file of a function exports, asked of Node without any loader, far from every node_modules. */
export async function exportsOf({ code, environment }: SynthesizedFunction, options: CommandOptions): Promise<unknown> {
  const script = `import(process.argv[1]).then((loaded) => console.log(JSON.stringify(Object.entries(loaded).map(([name, value]) => [name, typeof value]))))`;
  const output = await run(process.execPath, ['--eval', script, join(code, 'index.mjs')], {
    ...options,
    env: { ...environment, AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true', ...options.env },
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? 'null');
}

/** Hashes of all files of a folder by path. */
export function contentOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const hashes = files.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    return [relative(directory, file), createHash('sha256').update(readFileSync(file)).digest('hex')] as const;
  });
  return Object.fromEntries(hashes.sort(([a], [b]) => a.localeCompare(b)));
}
