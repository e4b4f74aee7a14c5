import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run as runProgram } from './support/run.ts';

/** What is published, and the oldest Node that its package promises. */
const PACKAGES = {
  contracts: 20,
  'json-text': 20,
  validation: 20,
  'policy-engine': 20,
  'policy-profile': 20,
  client: 20,
  'http-executor': 22,
  cli: 20,
};
/** It has a command, and no exports; its README shows commands. */
const COMMAND = 'cli';
const NAMES = Object.keys(PACKAGES);
const FILTERS = NAMES.flatMap((name) => ['--filter', `@gatehouse/${name}`]);
const WORKSPACE = new URL('../..', import.meta.url).pathname;
const SETUP_MS = 150_000;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'));
const project = mkdtempSync(join(tmpdir(), 'gatehouse-project-'));

/** Where the example of the client finds the services. */
const urls: Record<string, string> = {};

const run = (cwd: string, program: string, ...args: string[]) =>
  runProgram({ cwd, env: urls }, program, ...args);

/** Runs a program of a package that the registry, or npm's cache of it, has. */
const runOf = (cwd: string, name: string, ...command: string[]) =>
  run(
    cwd,
    'npx',
    '-y',
    '--prefer-offline',
    '--loglevel=error',
    `--package=${name}`,
    '--',
    ...command,
  );

async function nodeOf(major: number): Promise<string> {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  return (await runOf(project, `node@${major}`, 'node', '-p', 'process.execPath')).trim();
}

const tarballs = () => readdirSync(folder).map((name) => join(folder, name));
const bin = (name: string) => join(WORKSPACE, 'node_modules/.bin', name);

/** The example of a package's README; as TypeScript, too. */
function writeExample(name: string): void {
  const readme = readFileSync(join(WORKSPACE, 'packages', name, 'README.md'), 'utf8');
  const [, example] = /^```js\n(.*?)^```/ms.exec(readme) ?? [];
  if (example === undefined) throw new Error(`${name}: its README has no example`);
  writeFileSync(join(project, `${name}.mjs`), example);
  writeFileSync(join(project, `${name}.mts`), example);
}

function writeTsconfig(): void {
  const compilerOptions = { strict: true, noEmit: true, target: 'es2023', types: ['node'] };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.mts'] }),
  );
}

beforeAll(async () => {
  // One by one: each builds what it depends on first.
  const oneByOne = ['--workspace-concurrency=1', ...FILTERS];
  await run(WORKSPACE, 'pnpm', ...oneByOne, 'pack', '--pack-destination', folder);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  NAMES.filter((name) => name !== COMMAND).forEach(writeExample);
  writeTsconfig();
  await run(
    project,
    'npm',
    'install',
    '--prefer-offline',
    '--loglevel=error',
    '@types/node@26',
    ...tarballs(),
  ).catch((error: Error) => {
    throw new Error(`THE REGISTRY IS NEEDED to install the packages:\n${error.message}`);
  });
}, SETUP_MS);

afterAll(() => {
  for (const each of [folder, project]) rmSync(each, { recursive: true });
});

it('a package packs itself where nothing is built', async () => {
  for (const name of NAMES)
    rmSync(join(WORKSPACE, 'packages', name, 'dist'), { recursive: true, force: true });
  const destination = join(project, 'packed');
  const cwd = join(WORKSPACE, 'packages/policy-engine');
  expect(await run(cwd, 'pnpm', 'pack', '--pack-destination', destination)).toContain(
    'dist/index.js',
  );
});

describe('the packages, installed in an empty project', () => {
  it('hold what is built, a README and the licence', async () => {
    for (const tarball of tarballs()) {
      const files = (await run(folder, 'tar', '-tzf', tarball)).trim().split('\n');
      const expected = expect.stringMatching(
        /^package\/(?:LICENSE|README\.md|package\.json|profile\.schema\.json|dist\/[\w/-]+\.(?:js|d\.ts))$/,
      );
      expect(files).toEqual(files.map(() => expected));
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md'].map((name) => `package/${name}`)),
      );
    }
  });

  it('are found faultless by publint and Are the Types Wrong', async () => {
    for (const tarball of tarballs()) {
      await run(WORKSPACE, bin('publint'), 'run', tarball, '--strict');
      if (!tarball.includes(`gatehouse-${COMMAND}-`))
        await run(WORKSPACE, bin('attw'), '--profile', 'esm-only', tarball);
    }
  }, 60_000);

  it.each([20, 22, 26])(
    'run the examples of their READMEs on Node %i',
    async (major) => {
      await using shop = await startUpstream({ body: { id: 7 } });
      await using policy = await startService('policy');
      await using executor = await startService('executor', {
        HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1:${shop.port}`,
      });
      Object.assign(urls, {
        ...{ POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin },
      });
      const node = await nodeOf(major);
      const examples = Object.entries(PACKAGES).filter(
        ([name, oldest]) => oldest <= major && name !== COMMAND,
      );
      const outputs = examples.map(async ([name]) => [
        name,
        await run(project, node, `${name}.mjs`),
      ]);
      const printed = Object.fromEntries(await Promise.all(outputs));
      expect(printed['policy-engine']).toMatch(
        /^require_approval\nspend_limit require_approval .*\ndeny\namount_above_ceiling \{ max_amount_minor_units: 1000 \}\n$/s,
      );
      expect(printed.validation).toContain("message: 'must be an integer'");
      const command = join(project, 'node_modules/.bin/gatehouse');
      const sample = join(WORKSPACE, 'examples/profiles/cautious.yaml');
      expect(await run(project, node, command, 'lint', sample)).toContain('no mistake; cautious');
      expect(printed.client).toContain("outcome: 'success'");
      if (major >= PACKAGES['http-executor'])
        expect(JSON.parse(printed['http-executor'])).toMatchObject({
          ...{ outcome: 'success', status: 200, body: { id: 7 }, attempts: 1 },
        });
    },
    60_000,
  );

  it.each(['5.9', '7'])(
    'have types that TypeScript %s checks to the last file',
    async (version) => {
      const compile = (...resolution: string[]) =>
        runOf(project, `typescript@${version}`, 'tsc', '-p', '.', ...resolution);
      await compile('--module', 'nodenext');
      await compile('--module', 'esnext', '--moduleResolution', 'bundler');
    },
    120_000,
  );
});
