import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { hasEntry } from './changelog.ts';
import type { Manifest, Tarball } from './packages.ts';

/** What is wrong with manifests, of which the repository's stands first, and the changelog. */
export function faultsOf(
  root: string,
  [own, ...manifests]: readonly [Manifest, ...Manifest[]],
  changelog: string,
): string[] {
  const others = manifests.filter(({ version }) => version !== own.version);
  return [
    ...others.map(
      ({ file, version }) =>
        `${relative(root, file)} has version ${version}, the repository ${own.version}: run \`npx -y pnpm@12 generate\`.`,
    ),
    ...(hasEntry(changelog, own.version)
      ? []
      : [`CHANGELOG.md has no heading \`## ${own.version}\`.`]),
    ...manifests.flatMap((manifest) => privateNeeds(manifest, manifests)),
  ];
}

/** What nobody could install. */
function privateNeeds(manifest: Manifest, all: readonly Manifest[]): string[] {
  const { name, dependencies, peerDependencies, optionalDependencies } = manifest;
  if (manifest.private === true) return [];
  const needs = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  return all
    .filter((other) => other.private === true && other.name in needs)
    .map((other) => `${name} depends on ${other.name}, which is private.`);
}

/** What publint and, for what can be imported, Are the Types Wrong say against tarballs. */
export async function tarballFaults(
  root: string,
  manifests: readonly Manifest[],
  tarballs: readonly Tarball[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, tarball } of tarballs) {
    const { exports } = manifests.find((manifest) => manifest.name === name) ?? {};
    faults.push(...(await complaints(root, 'publint', 'run', tarball, '--strict')));
    if (exports !== undefined)
      faults.push(...(await complaints(root, 'attw', '--profile', 'esm-only', tarball)));
  }
  return faults;
}

/** The output of a program that fails. */
async function complaints(root: string, program: string, ...args: string[]): Promise<string[]> {
  return await promisify(execFile)(join(root, 'node_modules/.bin', program), args).then(
    () => [],
    ({ stdout, stderr }) => [`${program} ${args.join(' ')}\n${stdout}${stderr}`],
  );
}
