import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The manifest of a package, service, example, or of the repository. */
export interface Manifest {
  /** Its path. */
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly engines?: { readonly node?: string };
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What would be published. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  /** The range of Node versions that it promises. */
  readonly node: string;
  /** Its path. */
  readonly tarball: string;
  readonly files: number;
  readonly bytes: number;
  /** As registries and lockfiles have it. */
  readonly integrity: string;
}

/** Every manifest that has the version of the project, that of the repository first. */
export function manifestsIn(root: string): [Manifest, ...Manifest[]] {
  const manifestAt = (name: string): Manifest => {
    const file = join(root, name);
    return { ...JSON.parse(readFileSync(file, 'utf8')), file };
  };
  const files = globSync('{packages,services,examples}/*/package.json', { cwd: root }).sort();
  return [manifestAt('package.json'), ...files.map(manifestAt)];
}

const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * Builds all that is not private, once, and packs it into an empty folder; what a package
 * needs of ours stands before it.
 */
export async function pack(
  root: string,
  manifests: readonly Manifest[],
  folder: string,
): Promise<Tarball[]> {
  const published = manifests.filter((manifest) => manifest.private !== true);
  const filters = published.flatMap(({ name }) => ['--filter', name]);
  const pnpm = async (...args: string[]) =>
    (await promisify(execFile)('pnpm', args, { cwd: root, maxBuffer: MAX_OUTPUT })).stdout;
  await pnpm(...filters, 'run', 'build');
  for (const old of globSync('*.tgz', { cwd: folder })) rmSync(join(folder, old));
  const noBuild = ['--ignore-scripts', '--pack-destination', folder];
  const packed: Packed[] = JSON.parse(await pnpm(...filters, 'pack', '--json', ...noBuild));
  return packed.map((each) => tarballOf(each, published));
}

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly files: readonly unknown[];
}

function tarballOf(
  { name, version, filename, files }: Packed,
  manifests: readonly Manifest[],
): Tarball {
  const bytes = readFileSync(filename);
  return {
    ...{ name, version, tarball: filename, files: files.length, bytes: bytes.length },
    node: manifests.find((manifest) => manifest.name === name)?.engines?.node ?? '',
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  };
}
