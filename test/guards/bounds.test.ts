import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { BOUNDS } from '../../lib/bounds';
import type { Bound } from '../../lib/bounds';
import { boundOf, optionInterfaces, optionsPage } from './options-page';
import { publicExports, ROOT } from './public-api';

const PAGE = join(ROOT, 'docs', 'options.md');
const SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400 } as const;
const bounds: Readonly<Record<string, Bound>> = BOUNDS;

interface Documented {
  readonly option: string;
  readonly text: string;
}

/** Options of a file with their doc comments on one line. */
function documentedOptions(file: string, prefix: string, suffix = ''): Documented[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return ts
    .createSourceFile(file, text, ts.ScriptTarget.ES2022, true)
    .statements.filter(ts.isInterfaceDeclaration)
    .flatMap(({ members }) => [...members])
    .map((member) => ({
      option: `${prefix}${member.name?.getText() ?? ''}${suffix}`,
      text: ts
        .getJSDocCommentsAndTags(member)
        .map((doc) => doc.getText().replace(/\s*\n\s*\*?\s*/g, ' '))
        .join(' '),
    }))
    .filter(({ option }) => option in bounds);
}

/** The range that a doc comment gives, in the unit of the table: `60 to 900 seconds`, `1 hour to 14 days`, `0 (none) to 1`. */
function rangeIn(text: string): { readonly min: number; readonly max: number } | undefined {
  const unit = '(?: (second|minute|hour|day)s?)?';
  const match = new RegExp(`(\\d+)${unit}(?: \\([^)]*\\))? to (\\d+)${unit}`).exec(text);
  if (match === null) {
    return undefined;
  }
  const [, min, minUnit = match[4], max, maxUnit] = match;
  const scale = (name: string | undefined): number => (name === undefined ? 1 : SECONDS[name as keyof typeof SECONDS]);
  return { min: Number(min) * scale(minUnit), max: Number(max) * scale(maxUnit) };
}

/** The default that a doc comment gives as a number or as a duration. */
function defaultIn(text: string): number | undefined {
  const [, unit, amount, plain] =
    /@default (?:Duration\.(second|minute|hour|day)s\(([\d.]+)\)|([\d.]+))(?:[ ,*]|$)/.exec(text) ?? [];
  const scale = unit === undefined ? 1 : SECONDS[unit as keyof typeof SECONDS];
  const written = amount ?? plain;
  return written === undefined ? undefined : Number(written) * scale;
}

const documented = [
  ...documentedOptions('lib/props.ts', ''),
  ...documentedOptions('lib/retry-policy.ts', 'retry.'),
  ...documentedOptions('lib/observability/options.ts', 'alarms.', '.threshold'),
];
/** Their range is in no doc comment: what is allowed depends on other options. */
const WITHOUT_RANGE = ['reservedConcurrentExecutions'];
/** A list of delays and a fixed delay have other defaults than the table, which their doc comments give. */
const OTHER_DEFAULT = ['retry.maxAttempts', 'retry.jitter'];

const exported = publicExports('lib/index.ts');

describe('the table of bounds', () => {
  it('has a doc comment for every option', () => {
    expect(new Set(documented.map(({ option }) => option))).toEqual(new Set(Object.keys(bounds)));
  });

  it.each(documented.filter(({ option }) => !WITHOUT_RANGE.includes(option)))(
    'has the range that the doc comment of $option gives',
    ({ option, text }) => {
      const { min, max } = bounds[option]!;
      expect(rangeIn(text)).toEqual({ min, max });
    },
  );

  it.each(documented.filter(({ option }) => bounds[option]?.default !== undefined && !OTHER_DEFAULT.includes(option)))(
    'has the default that the doc comment of $option gives',
    ({ option, text }) => {
      expect(defaultIn(text)).toBe(bounds[option]!.default);
    },
  );

  it('has each of its rows at one option, or at those that share it', () => {
    const options = optionInterfaces(exported).flatMap(({ members }) => members);
    const missing = Object.keys(bounds).filter((bound) => !options.some((option) => boundOf(option) === bound));
    expect(missing).toEqual([]);
  });

  it('is what docs/options.md shows, with all other options', () => {
    const page = optionsPage(exported, bounds);
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(PAGE, page);
    }
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
