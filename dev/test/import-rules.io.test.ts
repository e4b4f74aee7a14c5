import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = join(ROOT, 'node_modules/.bin/biome');

/** Modules that the sources in a folder may not import. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  'packages/contracts/src': ['node:fs', 'node:fs/promises'],
  'packages/contracts/src/json': ['node:fs'],
  'packages/policy/src': ['node:fs', '@gatehouse/config-file', './files/index.ts'],
  'packages/policy/src/rules': ['node:fs/promises'],
  'packages/http-executor/src': [
    'undici',
    'node:net',
    'node:dns/promises',
    '@gatehouse/testing',
    './transport/undici-transport.ts',
  ],
  'packages/client/src': ['@gatehouse/executor-service', '@gatehouse/testing'],
  'packages/mcp/src': ['@gatehouse/policy-service/config'],
  'packages/service/src': ['@gatehouse/testing'],
  'services/policy/src': ['../../executor/src/app.ts', '@gatehouse/testing'],
  'services/executor/src': ['@gatehouse/testing'],
  'examples/gateway/src': ['@gatehouse/testing'],
  'examples/gateway/src/routes': ['../../../../dev/ports.ts'],
  'examples/demo/src': ['../../../dev/ports.ts', '../../gateway/src/app.ts'],
};

const UNDECLARED: typeof FORBIDDEN = {
  'examples/gateway/src': ['@gatehouse/service'],
  'packages/contracts/src': ['@gatehouse/config-file'],
  'packages/config-file/src': ['@gatehouse/service'],
  'packages/policy/src': ['@gatehouse/service', '@opentelemetry/api', 'fastify'],
  'packages/policy/src/files': ['@gatehouse/service'],
  'packages/http-executor/src': ['@gatehouse/service', '@opentelemetry/api', 'fastify'],
  'packages/client/src': ['@gatehouse/http-executor', 'fastify'],
  'packages/mcp/src': ['@gatehouse/service', 'fastify', 'undici'],
  'packages/service/src': ['@gatehouse/policy', '@gatehouse/http-executor', 'lodash'],
  'services/policy/src': ['@gatehouse/http-executor', 'undici'],
  'services/executor/src': ['@gatehouse/policy', '@gatehouse/policy/files'],
};

const ALLOWED: typeof FORBIDDEN = {
  'packages/client/src/ai-sdk': ['../index.ts', 'ai'],
  'examples/gateway/src/routes': ['../plan.ts'],
  'packages/http-executor/src': ['@gatehouse/contracts/json'],
  'packages/http-executor/src/transport': ['undici'],
  'packages/policy/src': ['@gatehouse/contracts', '@gatehouse/contracts/validation'],
  'packages/policy/src/files': ['../index.ts', '@gatehouse/config-file'],
  'services/policy/src/routes': ['@gatehouse/policy'],
};

const body = (lines: number) =>
  `export function f(): void {\n${'  console.log(1);\n'.repeat(lines)}}`;

type Probe = readonly [place: string, content: string, broken: string | undefined];

const importing = (modules: typeof FORBIDDEN, broken: string | undefined): Probe[] =>
  Object.entries(modules).flatMap(([place, specifiers]) =>
    specifiers.map((name) => [place, `import { x } from '${name}';\nconsole.log(x);`, broken]),
  );

const PROBES: readonly Probe[] = [
  ...importing(FORBIDDEN, 'noRestrictedImports'),
  ...importing(UNDECLARED, 'noUndeclaredDependencies'),
  ...importing(ALLOWED, undefined),
  ...['Date.now()', 'Math.random()', 'process.env'].map(
    (use): Probe => ['packages/policy/src', `console.log(${use});`, 'noRestrictedGlobals'],
  ),
  ['packages/http-executor/src', "fetch('http://localhost');", 'noRestrictedGlobals'],
  ['packages/service/src', body(40), undefined],
  ['packages/service/src', body(41), 'noExcessiveLinesPerFunction'],
];

/**
 * Lints all probes (small source files) in one run, together with copies of our manifests and
 * configuration. Returns the rules that each probe breaks.
 */
function lintProbes(tree: string) {
  for (const manifest of [
    'biome.json',
    ...globSync('{package.json,*/*/package.json}', { cwd: ROOT }),
  ]) {
    if (manifest.includes('node_modules')) continue;
    mkdirSync(dirname(join(tree, manifest)), { recursive: true });
    cpSync(join(ROOT, manifest), join(tree, manifest));
  }
  const files = PROBES.map(([place, content], index) => {
    const file = join(place, `probe-${index}.ts`);
    mkdirSync(join(tree, place), { recursive: true });
    writeFileSync(join(tree, file), `${content}\n`);
    return file;
  });
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json', '.'];
  const { stdout } = spawnSync(BIOME, args, { cwd: tree, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  return files.map((file) =>
    diagnostics
      .filter(({ location }) => location.path.endsWith(file))
      .map(({ category }) => category.split('/').at(-1)),
  );
}

it('the import rules between packages, and the limit of 40 lines for functions, hold', () => {
  const tree = mkdtempSync(join(tmpdir(), 'import-rules-'));
  const found = lintProbes(tree);
  rmSync(tree, { recursive: true });
  for (const [index, [place, content, broken]] of PROBES.entries())
    expect([place, content, found[index]]).toEqual([
      place,
      content,
      broken ? expect.arrayContaining([broken]) : [],
    ]);
});
