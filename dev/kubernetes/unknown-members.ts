import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Manifest, nameOf } from './manifests.ts';
import { moduleOf } from './schema.ts';

/** Where `kubernetes-models` is found from. */
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const COMPILER = join(MODULES, '.bin/tsc');

const CONFIGURATION = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: 'nodenext',
    target: 'esnext',
  },
  include: ['*.ts'],
};

/**
 * Members that the kind of a manifest does not have, such as a misspelt probe, which the
 * schemas let pass: the compiler reads each manifest as a literal of the type of its
 * kind.
 */
export function unknownMembers(manifests: readonly Manifest[]): string[] {
  mkdirSync(join(MODULES, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(MODULES, '.cache/manifests-'));
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIGURATION));
    for (const [index, manifest] of manifests.entries())
      writeFileSync(join(folder, `${index}.ts`), literalOf(manifest));
    const { stdout, error, status } = spawnSync(COMPILER, ['-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error !== undefined) throw error;
    const found = [...stdout.matchAll(/^(\d+)\.ts\(.*?\): error TS\d+: (.*)$/gm)];
    if (found.length === 0 && status !== 0) throw new Error(`The compiler failed: ${stdout}`);
    return found.map(
      ([, index, message]) => `${nameOf(manifests[Number(index)] as Manifest)}: ${message}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function literalOf(manifest: Manifest): string {
  const type = `I${manifest.kind}`;
  const literal = JSON.stringify(manifest, undefined, 2);
  return `import type { ${type} } from '${moduleOf(manifest)}';\nexport const manifest: ${type} = ${literal};\n`;
}
