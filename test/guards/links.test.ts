import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** Folders whose pages are not written here. */
const NOT_OURS = ['node_modules', '.git', 'dist', 'cdk.out', 'coverage', '.ministack', '.elasticmq', 'api'];

interface Link {
  readonly page: string;
  readonly target: string;
}

function pagesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      return NOT_OURS.includes(entry.name) ? [] : pagesBelow(path);
    }
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** A page without its code, in which brackets are no links. */
const prose = (text: string): string => text.replace(/^( *)(```|~~~)[^]*?^\1\2.*$/gm, '').replace(/`[^`\n]*`/g, 'code');

/** Inline links, and the definitions of those by reference. */
function linksOf(page: string, text: string): Link[] {
  const inline = [...prose(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)];
  const definitions = [...prose(text).matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
  return [...inline, ...definitions].map(([, target = '']) => ({ page, target }));
}

/** References that no definition follows. */
function undefinedReferences(text: string): string[] {
  const defined = new Set([...text.matchAll(/^\[([^\]]+)\]:/gm)].map(([, name = '']) => name));
  return [...prose(text).matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => name).filter((name) => !defined.has(name));
}

/** Anchors that the headings of a page get, numbered where one comes twice. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...text.replace(/^( *)(```|~~~)[^]*?^\1\2.*$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)];
  const anchors = headings.map(([, heading = '']) => {
    const base = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  });
  const named = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name);
  return new Set([...anchors, ...named]);
}

/** What is wrong with a link; nothing of links that lead elsewhere. */
function problemOf({ page, target }: Link): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) {
    return undefined;
  }
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const file = path === '' ? page : resolve(dirname(page), path);
  const shown = `${relative(ROOT, page)}: ${target}`;
  if (!existsSync(file) || relative(ROOT, file).startsWith('..')) {
    return `${shown} is not there`;
  }
  const isPage = statSync(file).isFile() && file.endsWith('.md');
  return anchor !== undefined && isPage && !anchorsOf(readFileSync(file, 'utf8')).has(anchor)
    ? `${shown} has no such heading`
    : undefined;
}

describe('links', () => {
  const pages = pagesBelow(ROOT).map((page) => [page, readFileSync(page, 'utf8')] as const);

  it('of all pages lead to files and headings that are there', () => {
    const links = pages.flatMap(([page, text]) => linksOf(page, text));
    expect(links.length).toBeGreaterThan(100);
    expect(links.map(problemOf).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('by reference are defined', () => {
    const missing = pages.flatMap(([page, text]) =>
      undefinedReferences(text).map((name) => `${relative(ROOT, page)}: [${name}]`),
    );
    expect(missing).toEqual([]);
  });

  it('control: are missed where there is nothing', () => {
    const page = join(ROOT, 'README.md');
    const text = [
      '[a](docs/nowhere.md) [b](#nowhere) [c](docs/choosing.md#a-plain-queue) [d](https://aws.amazon.com) [e](docs)',
      '`[f](code.md)` [g](../outside.md) [h][i]',
      '```md',
      '[j](code.md)',
      '```',
      '[k]: docs/none.md',
    ].join('\n');
    expect(linksOf(page, text).map(problemOf)).toEqual([
      'README.md: docs/nowhere.md is not there',
      'README.md: #nowhere has no such heading',
      undefined,
      undefined,
      undefined,
      'README.md: ../outside.md is not there',
      'README.md: docs/none.md is not there',
    ]);
    expect(undefinedReferences(text)).toEqual(['i']);
  });
});
