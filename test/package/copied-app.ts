import { cp, link, mkdir, readdir } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './places';

/** Copies an installed app, so that a test can change it; its packages are hard links, never to be written to. */
export async function copyApp(app: string): Promise<string> {
  const copy = join(mkdtempSync(join(folder(), 'copy-')), 'bookings');
  await cp(app, copy, {
    recursive: true,
    filter: (source) => !source.startsWith(join(app, 'node_modules')) && !source.startsWith(join(app, 'cdk.out')),
  });
  await linkTree(join(app, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    await (entry.isDirectory()
      ? linkTree(source, target)
      : entry.isFile()
        ? link(source, target)
        : cp(source, target, { verbatimSymlinks: true }));
  }
}
