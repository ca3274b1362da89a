import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALARM_NAMES } from '../../lib/observability/alarm-settings';
import type { AlarmName } from '../../lib/observability/alarm-settings';
import { ALARMS } from '../../lib/observability/alarm-table';
import { BOUNDS } from '../../lib/bounds';
import { synthesized } from '../lib/fanout-stack';

const ROOT = join(__dirname, '..', '..');
const RUNBOOKS = join(ROOT, 'docs', 'runbooks');
const README = join(ROOT, 'README.md');
const [BEGIN, END] = ['<!-- alarms: begin -->', '<!-- alarms: end -->'];

const pageOf = (name: AlarmName): string => readFileSync(join(RUNBOOKS, `${ALARMS[name].page}.md`), 'utf8');
const commandsIn = (page: string): string[] =>
  [...page.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command = '']) => command);

describe('the runbooks', () => {
  it('are one for each alarm, and no more', () => {
    const pages = ALARM_NAMES.map((name) => `${ALARMS[name].page}.md`);
    expect(readdirSync(RUNBOOKS).sort()).toEqual(pages.sort());
  });

  it.each(ALARM_NAMES)('say of %s what it means, whom it hits, three commands, and when to wait', (name) => {
    const page = pageOf(name);
    const severity = ALARMS[name].severity === 'page' ? 'Page' : 'Ticket';
    expect(page).toMatch(/^# \S/);
    expect(page).toContain(`\nAlarm \`${name}\`. ${severity}.\n`);
    const places = ['Meaning', 'User impact', 'Commands', 'When to wait'].map((title) =>
      page.indexOf(`\n**${title}.** `),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(commandsIn(page)).toHaveLength(3);
    expect(commandsIn(page).every((command) => /^aws [a-z]+ [a-z-]+ /.test(command))).toBe(true);
  });

  const { fanout } = synthesized();
  it.each(ALARM_NAMES)('begin for %s with the command that the alarm names', (name) => {
    const parts = ALARMS[name]
      .command(fanout)
      .replace(fanout.fanoutId, '${Token[ID]}')
      .split(/\$\{Token\[[^\]]+\]\}/);
    const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[A-Z_]+');
    expect(commandsIn(pageOf(name))[0]).toMatch(new RegExp(`^${pattern}$`));
  });

  it('are published with the package, where the texts of the alarms point to', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: string[] };
    expect(files.some((file) => 'docs/runbooks'.startsWith(file))).toBe(true);
  });
});

describe('the README', () => {
  it('has the table of alarms', () => {
    const [before, rest = ''] = readFileSync(README, 'utf8').split(BEGIN);
    const [, after] = rest.split(END);
    const text = `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(README, text);
    }
    expect(readFileSync(README, 'utf8')).toBe(text);
  });
});

function table(): string {
  const rows = ALARM_NAMES.map((name) => {
    const { meaning, severity, unit, source, page } = ALARMS[name];
    const threshold = BOUNDS[`alarms.${name}.threshold`].default.toLocaleString('en');
    return [`[\`${name}\`](docs/runbooks/${page}.md)`, severity, meaning, `${threshold} ${unit}`, source];
  });
  const all = [['alarm', 'severity', 'what is the matter', 'default threshold', 'metric'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [header = [], ...body] = all;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
