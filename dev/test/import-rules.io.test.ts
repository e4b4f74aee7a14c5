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
  'packages/contracts/src': ['node:fs', 'node:fs/promises', '@gatehouse/validation'],
  'packages/validation/src': ['@gatehouse/service'],
  'packages/ai-sdk/src': ['@gatehouse/policy-engine'],
  'packages/policy-engine/src': ['node:fs', '@gatehouse/service', '@opentelemetry/api'],
  'packages/policy-engine/src/rules': ['node:fs/promises', 'fastify'],
  'packages/policy-profile/src': ['@gatehouse/service'],
  'packages/http-executor/src': [
    'undici',
    'node:net',
    'node:dns/promises',
    '@opentelemetry/api',
    './transport/undici-transport.ts',
  ],
  'packages/http-executor/src/transport': ['@opentelemetry/sdk-trace', '@gatehouse/service'],
  'packages/mcp/src': ['@gatehouse/service'],
  'packages/mcp/src/tools': ['undici'],
  'packages/service/src': [
    '@gatehouse/policy-engine',
    '@gatehouse/http-executor',
    '@gatehouse/testing',
  ],
  'services/policy/src': [
    '@gatehouse/http-executor',
    '../../executor/src/app.ts',
    '@gatehouse/testing',
  ],
  'services/executor/src': ['@gatehouse/policy-engine', '@gatehouse/testing'],
  'examples/gateway/src': ['@gatehouse/testing'],
  'examples/gateway/src/routes': ['../../../../dev/ports.ts'],
  'examples/demo/src': ['../../../dev/ports.ts', '../../gateway/src/app.ts'],
};

const UNDECLARED: typeof FORBIDDEN = {
  'examples/gateway/src': ['@gatehouse/service'],
  'packages/service/src': ['lodash'],
};

const ALLOWED: typeof FORBIDDEN = {
  'packages/ai-sdk/src': ['@gatehouse/client'],
  'examples/gateway/src/routes': ['../plan.ts'],
  'packages/http-executor/src/transport': ['undici'],
  'packages/policy-engine/src': ['@gatehouse/contracts'],
  'packages/policy-profile/src': ['@gatehouse/policy-engine'],
  'services/policy/src/routes': ['@gatehouse/policy-engine'],
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
    (use): Probe => ['packages/policy-engine/src', `console.log(${use});`, 'noRestrictedGlobals'],
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
