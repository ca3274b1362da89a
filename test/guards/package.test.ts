import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const ROOT = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, unknown>>;
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
});
