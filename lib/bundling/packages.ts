import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CronFanoutError } from '../../lambda/contract';

/** A package that is copied into an asset. */
export interface PackageCopy {
  readonly name: string;
  /** Directory of the package as it is installed here, without symbolic links. */
  readonly from: string;
  /** Where it goes, relative to the asset: `node_modules/a`, or below another package where two versions meet. */
  readonly to: string;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Plans copies of packages and of all that they depend on, found as Node finds them: any package manager's layout will do, and no lock file is
 * read. The result is one flat `node_modules`, with a second version below the package that wants it.
 *
 * Peers are copied too, optional ones only if they are named: types and tools are often declared so.
 *
 * @param names packages wanted
 * @param directory where the search for them begins, upwards
 * @throws CronFanoutError `PackageNotFound`
 */
export function planPackageCopies(names: readonly string[], directory: string): readonly PackageCopy[] {
  const placed = new Map<string, PackageCopy>();
  const queue: PackageCopy[] = [];
  const place = (name: string, from: string, below: string): void => {
    const visible = visiblePackage(placed, below, name);
    if (visible?.from === from) {
      return;
    }
    const to = visible === undefined ? `node_modules/${name}` : `${below}/node_modules/${name}`;
    const copy = { name, from, to };
    placed.set(to, copy);
    queue.push(copy);
  };
  for (const name of names) {
    place(name, findPackage(name, directory) ?? notFound(name, directory), '');
  }
  for (let copy = queue.shift(); copy !== undefined; copy = queue.shift()) {
    // All dependencies of one package are placed before any of theirs: what a package sees is never changed later.
    for (const [name, needed] of dependenciesOf(copy.from)) {
      const from = findPackage(name, copy.from) ?? (needed ? notFound(name, copy.from) : undefined);
      if (from !== undefined) {
        place(name, from, copy.to);
      }
    }
  }
  return [...placed.values()];
}

/** Copies a package without the packages installed inside of it, links followed. */
export function copyPackage(copy: PackageCopy, assetDirectory: string): void {
  const nested = join(copy.from, 'node_modules');
  cpSync(copy.from, join(assetDirectory, copy.to), {
    recursive: true,
    dereference: true,
    filter: (source) => source !== nested,
  });
}

/** Directory of a package as Node would find it from a directory, without symbolic links. */
export function findPackage(name: string, directory: string): string | undefined {
  for (let base = directory; ; base = dirname(base)) {
    const candidate = join(base, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) {
      return realpathSync(candidate);
    }
    if (base === dirname(base)) {
      return undefined;
    }
  }
}

function visiblePackage(
  placed: ReadonlyMap<string, PackageCopy>,
  below: string,
  name: string,
): PackageCopy | undefined {
  for (let base = below; base !== ''; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const found = placed.get(`${base}/node_modules/${name}`);
    if (found !== undefined) {
      return found;
    }
  }
  return placed.get(`node_modules/${name}`);
}

/** Names of a package's dependencies, and whether it cannot do without each. */
function dependenciesOf(directory: string): readonly (readonly [string, boolean])[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  const required = Object.keys(manifest.dependencies ?? {}).filter((name) => !optional.includes(name));
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
    (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [
    ...required.map((name) => [name, true] as const),
    ...[...optional, ...peers].map((name) => [name, false] as const),
  ];
}

function notFound(name: string, directory: string): never {
  throw new CronFanoutError('PackageNotFound', {
    what: `package "${name}", which is to be copied`,
    received: `no node_modules/${name} at or above ${directory}`,
    allowed: 'a package that is installed',
    change: 'install it, or correct bundling.copiedModules',
  });
}
