import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly private?: boolean;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What the lock says of a package. */
interface Locked {
  readonly resolved?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const ROOT = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

describe('package.json', () => {
  it.each(['aws-cdk-lib', 'constructs'])('B20: leaves %s to the user, whose app must have one copy of it', (name) => {
    expect(manifest.dependencies).not.toHaveProperty(name);
    expect(manifest.peerDependencies[name]).toMatch(/^\^/);
    expect(manifest.devDependencies).toHaveProperty([name]);
    expect(Object.keys(lock.packages).filter((path) => path.endsWith(`node_modules/${name}`))).toEqual([
      `node_modules/${name}`,
    ]);
  });

  it('can be published, but by CI alone: provenance asks for an identity that nobody has at a desk', () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  });

  it('names exact versions: what is deployed is what was tried', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

describe('package-lock.json', () => {
  const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

  it('names the public registry alone', () => {
    const elsewhere = installed.filter(
      ([, { resolved }]) => resolved?.startsWith('https://registry.npmjs.org/') === false,
    );
    expect(elsewhere).toEqual([]);
  });

  it('brings users no install script but that of esbuild, which works without', () => {
    const scripts = installed.filter(([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true);
    expect(scripts.map(([path]) => path)).toEqual(['node_modules/esbuild']);
  });

  it('brings users permissive licences', () => {
    const allowed = /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0)\b/;
    const others = installed.filter(([, { dev, license }]) => dev !== true && !allowed.test(license ?? ''));
    expect(others.map(([path, { license }]) => `${path}: ${license ?? 'none'}`)).toEqual([]);
  });
});
