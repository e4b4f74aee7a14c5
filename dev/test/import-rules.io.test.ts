import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = join(ROOT, 'node_modules/.bin/biome');

const use = (specifier: string) => `import { x } from '${specifier}';\nconsole.log(x);`;

const FORBIDDEN: [place: string, content: string, rule: string][] = [
  ['packages/contracts/src', use('node:fs'), 'noRestrictedImports'],
  ['packages/contracts/src', use('node:fs/promises'), 'noRestrictedImports'],
  ['packages/contracts/src', use('@gatehouse/validation'), 'noRestrictedImports'],
  ['packages/validation/src', use('@gatehouse/service'), 'noRestrictedImports'],
  ['packages/ai-sdk/src', use('@gatehouse/policy-engine'), 'noRestrictedImports'],
  ['packages/policy-engine/src', use('node:fs'), 'noRestrictedImports'],
  ['packages/policy-engine/src/rules', use('node:fs/promises'), 'noRestrictedImports'],
  ['packages/policy-engine/src/rules', use('fastify'), 'noRestrictedImports'],
  ['packages/policy-engine/src', use('@gatehouse/service'), 'noRestrictedImports'],
  ['packages/policy-engine/src', use('@opentelemetry/api'), 'noRestrictedImports'],
  ['packages/policy-engine/src', 'console.log(Date.now());', 'noRestrictedGlobals'],
  ['packages/policy-engine/src', 'console.log(Math.random());', 'noRestrictedGlobals'],
  ['packages/policy-engine/src', 'console.log(process.env);', 'noRestrictedGlobals'],
  ['packages/policy-profile/src', use('@gatehouse/service'), 'noRestrictedImports'],
  ['packages/json-schema/src', use('undici'), 'noRestrictedImports'],
  ['packages/json-schema/src', use('@gatehouse/http-executor'), 'noRestrictedImports'],
  ['packages/http-executor/src', use('undici'), 'noRestrictedImports'],
  ['packages/http-executor/src', use('node:net'), 'noRestrictedImports'],
  ['packages/http-executor/src', use('node:dns/promises'), 'noRestrictedImports'],
  ['packages/http-executor/src', use('@opentelemetry/api'), 'noRestrictedImports'],
  ['packages/http-executor/src/transport', use('@opentelemetry/sdk-trace'), 'noRestrictedImports'],
  ['packages/http-executor/src', use('./transport/undici.ts'), 'noRestrictedImports'],
  ['packages/http-executor/src', "fetch('http://localhost');", 'noRestrictedGlobals'],
  ['packages/http-executor/src/transport', use('@gatehouse/service'), 'noRestrictedImports'],
  ['packages/mcp/src', use('@gatehouse/service'), 'noRestrictedImports'],
  ['packages/mcp/src/tools', use('undici'), 'noRestrictedImports'],
  ['packages/service/src', use('@gatehouse/policy-engine'), 'noRestrictedImports'],
  ['packages/service/src', use('@gatehouse/http-executor'), 'noRestrictedImports'],
  ['services/policy/src', use('@gatehouse/http-executor'), 'noRestrictedImports'],
  ['services/policy/src', use('../../executor/src/app.ts'), 'noRestrictedImports'],
  ['services/executor/src', use('@gatehouse/policy-engine'), 'noRestrictedImports'],
  ['services/policy/src', use('@gatehouse/testing'), 'noRestrictedImports'],
  ['services/executor/src', use('@gatehouse/testing'), 'noRestrictedImports'],
  ['packages/service/src', use('@gatehouse/testing'), 'noRestrictedImports'],
  ['examples/gateway/src', use('@gatehouse/testing'), 'noRestrictedImports'],
  ['examples/gateway/src/routes', use('../../../../dev/ports.ts'), 'noRestrictedImports'],
  ['examples/demo/src', use('../../../dev/ports.ts'), 'noRestrictedImports'],
  ['examples/demo/src', use('../../gateway/src/app.ts'), 'noRestrictedImports'],
  ['examples/gateway/src', use('@gatehouse/service'), 'noUndeclaredDependencies'],
  ['packages/service/src', use('lodash'), 'noUndeclaredDependencies'],
];

const ALLOWED: [place: string, content: string][] = [
  ['packages/ai-sdk/src', use('@gatehouse/client')],
  ['examples/gateway/src/routes', use('../plan.ts')],
  ['packages/http-executor/src/transport', use('undici')],
  ['packages/policy-engine/src', use('@gatehouse/contracts')],
  ['packages/policy-profile/src', use('@gatehouse/policy-engine')],
  ['services/policy/src/routes', use('@gatehouse/policy-engine')],
];

const body = (lines: number) =>
  `export function f(): void {\n${'  console.log(1);\n'.repeat(lines)}}`;
const LENGTHS: [place: string, content: string][] = [
  ['packages/service/src', body(40)],
  ['packages/service/src', body(41)],
];

/**
 * Lints all probes (small source files) in one run, together with copies of our manifests and
 * configuration. Returns the rules that each probe breaks.
 */
function lintProbes(
  tree: string,
  probes: readonly (readonly [place: string, content: string, ...unknown[]])[],
) {
  for (const manifest of [
    'biome.json',
    ...globSync('{package.json,*/*/package.json}', { cwd: ROOT }),
  ]) {
    if (manifest.includes('node_modules')) continue;
    mkdirSync(dirname(join(tree, manifest)), { recursive: true });
    cpSync(join(ROOT, manifest), join(tree, manifest));
  }
  const files = probes.map(([place, content], index) => {
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

describe('the import rules between packages', () => {
  const tree = mkdtempSync(join(tmpdir(), 'import-rules-'));
  let broken: (string | undefined)[][] = [];
  beforeAll(() => {
    broken = lintProbes(tree, [...FORBIDDEN, ...ALLOWED, ...LENGTHS]);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  it.each(FORBIDDEN.map((probe, index) => [...probe, index] as const))(
    'in %s, %j breaks %s',
    (_place, _content, rule, index) => {
      expect(broken[index]).toContain(rule);
    },
  );

  it.each(ALLOWED.map((probe, index) => [...probe, index] as const))(
    'in %s, %j is fine',
    (_place, _content, index) => {
      expect(broken[FORBIDDEN.length + index]).toEqual([]);
    },
  );

  it('limits functions to 40 lines', () => {
    const [atLimit, above] = broken.slice(FORBIDDEN.length + ALLOWED.length);
    expect(atLimit).toEqual([]);
    expect(above).toEqual(['noExcessiveLinesPerFunction']);
  });
});
