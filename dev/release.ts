// `pnpm run release [folder]` builds, packs and checks every public package, and prints a line of
// JSON for each tarball. To publish the packages afterwards, run `pnpm -r publish`.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: unknown;
}

const manifests = globSync('packages/*/package.json', { cwd: ROOT })
  .map((file): Manifest => JSON.parse(readFileSync(join(ROOT, file), 'utf8')))
  .filter((manifest) => manifest.private !== true);

/** Builds all public packages, and writes their tarballs to a folder. */
export function pack(folder: string): Tarball[] {
  const filters = manifests.flatMap(({ name }) => ['--filter', name]);
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  execFileSync('pnpm', [...filters, 'run', 'build'], options);
  for (const old of globSync('*.tgz', { cwd: folder })) rmSync(join(folder, old));
  const where = ['--ignore-scripts', '--pack-destination', folder];
  const packed = execFileSync('pnpm', [...filters, 'pack', '--json', ...where], options);
  const tarballs: (Tarball & { readonly filename: string })[] = JSON.parse(packed);
  return tarballs.map(({ name, version, filename }) => ({ name, version, tarball: filename }));
}

/** @throws if `publint` or `attw` (Are the Types Wrong) reports an error. */
function check({ name, tarball }: Tarball): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(ROOT, 'node_modules/.bin', program), args, { stdio: ['ignore', 2, 2] });
  run('publint', 'run', tarball, '--strict');
  const isImported = manifests.find((manifest) => manifest.name === name)?.exports !== undefined;
  if (isImported) run('attw', '--profile', 'esm-only', tarball);
}

if (import.meta.main) {
  for (const tarball of pack(resolve(process.argv[2] ?? 'dist'))) {
    check(tarball);
    console.log(JSON.stringify(tarball));
  }
}
