import type { Bound } from '../../lib/bounds';
import type { PublicExport, PublicSymbol } from './public-api';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;
const HEADER = ['option', 'type', 'default', 'range', 'meaning'];
/** The interface that comes first, followed by those that it is made of. */
const MAIN = 'CronFanoutProps';

type Bounds = Readonly<Record<string, Bound>>;

/** The interfaces with options among what users import. */
export function optionInterfaces(exported: readonly PublicExport[]): PublicExport[] {
  const options = exported.filter(({ name, members }) => /(Props|Options)$/.test(name) && members.length > 0);
  const main = options.find(({ name }) => name === MAIN);
  const first = main === undefined ? [] : [main.name, ...main.bases];
  const place = ({ name }: PublicExport): number => (first.includes(name) ? first.indexOf(name) : first.length);
  return options.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
}

/** Path of an option in the table of bounds. */
export function boundOf({ name }: PublicSymbol): string {
  const [owner = '', option = ''] = name.split('.');
  if (owner.endsWith('RetryProps')) {
    return `retry.${option}`;
  }
  return owner === 'FanoutAlarmsOptions' ? `alarms.${option}.threshold` : option;
}

/** docs/options.md. */
export function optionsPage(exported: readonly PublicExport[], bounds: Bounds): string {
  return [
    '# Options',
    '',
    'Every option of what `cron-fanout` exports, with its default and its range. From the doc comments and from `lib/bounds.ts`, which the checks read too;',
    '`UPDATE_DOCS=1 npx jest test/guards/bounds` writes this page. Functions of a job module (`defineJob`) are described in [sources.md](sources.md) and by `npm run docs:api`.',
    '',
    ...optionInterfaces(exported).flatMap((options) => section(options, bounds)),
  ].join('\n');
}

function section({ name, docs, bases, members }: PublicExport, bounds: Bounds): string[] {
  const rows = members.map((member) => [
    `\`${member.name.split('.')[1] ?? ''}\``,
    code(member.type.replace(/\s+/g, ' ')),
    member.optional ? defaultText(member.defaultValue ?? '') : 'needed',
    rangeText(bounds[boundOf(member)]),
    cell(firstSentence(member.docs)),
  ]);
  const others = bases.map((base) => `[\`${base}\`](#${base.toLowerCase()})`);
  return [
    `## ${name}`,
    '',
    cell(firstSentence(docs)).replaceAll('\\|', '|'),
    '',
    ...(others.length === 0 ? [] : [`With all of ${others.join(', ')}.`, '']),
    ...table([HEADER, ...rows]),
    '',
  ];
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [header = [], ...body] = rows.map(line);
  return [header as string, line(widths.map((width) => '-'.repeat(width))), ...body];
}

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const code = (text: string): string => `\`${cell(text)}\``;

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** A value is code; prose begins with a hyphen. */
function defaultText(text: string): string {
  const [, value, rest = ''] = /^([\w.]+(?:\([^)]*\))?|'[^']*')((?:[,; ].*)?)$/s.exec(text.trim()) ?? [];
  return value === undefined || text.startsWith('- ')
    ? cell(text.replace(/^- /, ''))
    : code(value) + cell(rest).replace(/^(?=\w)/, ' ');
}

function rangeText(bound: Bound | undefined): string {
  if (bound === undefined) {
    return '';
  }
  const source = bound.source.startsWith('https:')
    ? `[AWS](${bound.source})`
    : `[ours](${bound.source.replace('docs/', '')})`;
  const seconds = bound.unit === 'seconds';
  const range = seconds
    ? `${duration(bound.min)} to ${duration(bound.max)}`
    : `${bound.min} to ${bound.max} ${bound.unit}`;
  return `${range} (${source})`;
}

function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds > 0 && seconds % each === 0) ?? (['second', 1] as const);
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
