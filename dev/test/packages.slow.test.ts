import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tarball } from '../release/packages.ts';
import { run } from './support/run.ts';

const WORKSPACE = new URL('../..', import.meta.url).pathname;
const MAJORS = [20, 22, 26] as const;
const SETUP_MS = 240_000;
const STEP_MS = 120_000;

const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'));
const projectOn = (major: number) => join(scratch, `on-${major}`);

/** What the release would publish. */
let tarballs: Tarball[] = [];
/** The binary of each major. */
const nodes = new Map<number, string>();

const shortName = ({ name }: Tarball) => name.replace('@gatehouse/', '');
const oldest = ({ node }: Tarball) => Number(/\d+/.exec(node)?.[0]);
const on = (major: number) => tarballs.filter((tarball) => oldest(tarball) <= major);

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** Runs a program of a package that the registry, or npm's cache of it, has. */
const runOf = (cwd: string, name: string, ...command: string[]) =>
  run({ cwd, timeoutMs: STEP_MS }, 'npx', '-y', ...QUIET, `--package=${name}`, '--', ...command);

/** Runs a program with the Node of a major in the project that has that one's packages. */
function runOn(major: number, env: Record<string, string>, program: string, ...args: string[]) {
  const PATH = [dirname(nodes.get(major) ?? ''), process.env.PATH].join(delimiter);
  const where = { cwd: projectOn(major), timeoutMs: STEP_MS, env: { ...env, PATH } };
  return run(where, program, ...args);
}

/** All that such a Node may have, in an empty project, with the examples of their READMEs. */
async function install(major: number): Promise<void> {
  const project = projectOn(major);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  for (const tarball of on(major)) {
    const [name, example] = [shortName(tarball), exampleOf(tarball)];
    for (const ending of ['mjs', 'mts'])
      if (example !== undefined) writeFileSync(join(project, `${name}.${ending}`), example);
  }
  const node = process.version.startsWith(`v${major}.`)
    ? process.execPath
    : (await runOf(project, `node@${major}`, 'node', '-p', 'process.execPath')).trim();
  nodes.set(major, node);
  // What a package needs may not ask for more than it does.
  const flags = [...QUIET, '--engine-strict', '@types/node@26'];
  await runOn(major, {}, 'npm', 'install', ...flags, ...on(major).map(({ tarball }) => tarball));
}

function exampleOf(tarball: Tarball): string | undefined {
  const readme = join(WORKSPACE, 'packages', shortName(tarball), 'README.md');
  return /^```js\n(.*?)^```/ms.exec(readFileSync(readme, 'utf8'))?.[1];
}

beforeAll(async () => {
  // Fails at a fault of publint, Are the Types Wrong, a version or the changelog.
  const script = join(WORKSPACE, 'dev/release/main.ts');
  const where = { cwd: WORKSPACE, timeoutMs: STEP_MS };
  const lines = await run(where, process.execPath, script, '--to', join(scratch, 'tarballs'));
  tarballs = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  await Promise.all(MAJORS.map(install)).catch((error: Error) => {
    throw new Error(`THE REGISTRY IS NEEDED to install the packages:\n${error.message}`);
  });
}, SETUP_MS);

afterAll(() => rmSync(scratch, { recursive: true }));

it('a package packs itself where nothing is built', async () => {
  for (const tarball of tarballs)
    rmSync(join(WORKSPACE, 'packages', shortName(tarball), 'dist'), { recursive: true });
  const cwd = join(WORKSPACE, 'packages/policy-engine');
  const destination = join(scratch, 'packed');
  expect(await run({ cwd }, 'pnpm', 'pack', '--pack-destination', destination)).toContain(
    'dist/index.js',
  );
});

describe('the packages, installed in an empty project', () => {
  it('hold what is built, a README and the licence', async () => {
    for (const { tarball } of tarballs) {
      const files = (await run({ cwd: scratch }, 'tar', '-tzf', tarball)).trim().split('\n');
      const expected = expect.stringMatching(
        /^package\/(?:LICENSE|README\.md|package\.json|profile\.schema\.json|dist\/[\w/-]+\.(?:js|d\.ts))$/,
      );
      expect(files).toEqual(files.map(() => expected));
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md'].map((name) => `package/${name}`)),
      );
    }
  });

  it.each(MAJORS)(
    'run on Node %i: a check in-process, over HTTP and by the command, an execution',
    async (major) => {
      await using shop = await startUpstream({ body: { id: 7 } });
      await using policy = await startService('policy');
      await using executor = await startService('executor', {
        HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}`,
      });
      const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin };
      const outputs = on(major)
        .filter((tarball) => exampleOf(tarball) !== undefined)
        .map(async (tarball) => {
          const name = shortName(tarball);
          return [name, await runOn(major, urls, 'node', `${name}.mjs`)];
        });
      const printed = Object.fromEntries(await Promise.all(outputs));
      expect(printed['policy-engine']).toMatch(
        /^require_approval\nspend_limit require_approval .*\ndeny\namount_above_ceiling \{ max_amount_minor_units: 1000 \}\n$/s,
      );
      expect(printed.validation).toContain("message: 'must be an integer'");
      expect(printed.client).toContain("outcome: 'success'");
      expect('http-executor' in printed).toBe(major > 20);
      if (major > 20)
        expect(JSON.parse(printed['http-executor'])).toMatchObject({
          ...{ outcome: 'success', status: 200, body: { id: 7 }, attempts: 1 },
        });

      const gatehouse = (...args: string[]) =>
        runOn(major, {}, 'node_modules/.bin/gatehouse', ...args);
      expect(await gatehouse('--version')).toBe(`${tarballs[0]?.version}\n`);
      writeFileSync(join(projectOn(major), 'request.yaml'), 'pii: { categories: [] }\n');
      await expect(gatehouse('check', 'request.yaml')).rejects.toThrow(/^require_approval by/m);
    },
    STEP_MS,
  );

  it.each(['5.9', '7'])(
    'have types that TypeScript %s checks to the last file',
    async (version) => {
      const project = projectOn(26);
      const compilerOptions = { strict: true, noEmit: true, target: 'es2023', types: ['node'] };
      const config = JSON.stringify({ compilerOptions, include: ['*.mts'] });
      writeFileSync(join(project, 'tsconfig.json'), config);
      const compile = (...resolution: string[]) =>
        runOf(project, `typescript@${version}`, 'tsc', '-p', '.', ...resolution);
      await compile('--module', 'nodenext');
      await compile('--module', 'esnext', '--moduleResolution', 'bundler');
    },
    STEP_MS,
  );
});
