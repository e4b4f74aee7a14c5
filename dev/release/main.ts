/**
 * Makes the tarballs of all packages that are not private, checks them, and says what it
 * would publish: a table, or in a pipe a line of JSON for each.
 *
 *   pnpm run release [--to folder]      writes to `dist`; exits 1 at a fault
 *   pnpm run release --version 1.2.3    moves the version everywhere, and the changelog's heading
 *   pnpm run release --publish          publishes, if nothing stands against it
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hasUnreleased, versionFaults, withVersion } from './changelog.ts';
import { faultsOf, tarballFaults } from './faults.ts';
import { manifestsIn, pack, type Tarball } from './packages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHANGELOG = join(ROOT, 'CHANGELOG.md');

const UNRELEASED =
  'CHANGELOG.md has changes below `Unreleased`: give them a version before it is published.';

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'dist' },
    version: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
});
const changelog = readFileSync(CHANGELOG, 'utf8');
const faults = values.version === undefined ? await release() : moveTo(values.version);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;

/** Gives what stands against it; publishes only if asked to, and if that is nothing. */
async function release(): Promise<string[]> {
  const manifests = manifestsIn(ROOT);
  const tarballs = await pack(ROOT, manifests, resolve(values.to));
  show(tarballs);
  const unreleased = hasUnreleased(changelog) ? [UNRELEASED] : [];
  const found = [
    ...faultsOf(ROOT, manifests, changelog),
    ...(await tarballFaults(ROOT, manifests, tarballs)),
    ...(values.publish ? unreleased : []),
  ];
  if (values.publish && found.length === 0) return publishAll(tarballs);
  if (!values.publish) for (const note of unreleased) console.error(note);
  console.error('Nothing was published.');
  return found;
}

function show(tarballs: readonly Tarball[]): void {
  if (!process.stdout.isTTY) {
    for (const tarball of tarballs) console.log(JSON.stringify(tarball));
    return;
  }
  const rows = tarballs.map(({ name, version, node, files, bytes }) => [
    name,
    { version, node, files, 'KiB packed': Math.ceil(bytes / 1024) },
  ]);
  console.table(Object.fromEntries(rows));
}

/** Stops at the first that fails; those that are published already are left. */
function publishAll(tarballs: readonly Tarball[]): string[] {
  const failed = tarballs.find((tarball) => !isPublished(tarball) && !publish(tarball));
  return failed === undefined
    ? []
    : [`${failed.name} could not be published. The same command goes on from there.`];
}

/** A prerelease is not what `npm install` takes by itself. */
function publish({ version, tarball }: Tarball): boolean {
  const tag = version.includes('-') ? 'next' : 'latest';
  const args = ['publish', tarball, '--access', 'public', '--tag', tag];
  return spawnSync('pnpm', args, { cwd: ROOT, stdio: 'inherit' }).status === 0;
}

function isPublished({ name, version }: Tarball): boolean {
  const args = ['view', `${name}@${version}`, 'version'];
  return spawnSync('pnpm', args, { cwd: ROOT }).stdout.length > 0;
}

/** Manifests first: `generate` asks the services for their version. */
function moveTo(version: string): string[] {
  const found = versionFaults(changelog, version);
  if (found.length > 0) return found;
  for (const { file } of manifestsIn(ROOT)) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/(?<=^ {2}"version": ")[^"]+/m, version));
  }
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(CHANGELOG, withVersion(changelog, version, today));
  execFileSync('pnpm', ['run', 'generate'], { cwd: ROOT, stdio: 'inherit' });
  return [];
}
