import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, startUpstream } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import client from '../../packages/client/package.json' with { type: 'json' };
import { mainOf } from '../build-services.ts';
import type { Tarball } from '../release.ts';
import { Project, runOf, STEP_MS } from './support/install.ts';
import { toolsOf } from './support/mcp.ts';
import { run } from './support/run.ts';

const WORKSPACE = new URL('../..', import.meta.url).pathname;
const SETUP_MS = 240_000;

const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'));
const projectOn = (major: number, ai?: string) =>
  new Project(join(scratch, `on-${major}`), major, ai);
const oldestAi = client.peerDependencies.ai.replace('^', '');
const projects = [projectOn(22, oldestAi), projectOn(24), projectOn(26)];
const tooOld = projectOn(20);

let tarballs: Tarball[] = [];

const shortName = ({ name }: Tarball) => name.replace('@gatehouse/', '');

/** The examples in the READMEs and in `docs/ai-sdk.md`, by name. */
function examples(): Map<string, string> {
  const readmes = tarballs.map((tarball) => [
    shortName(tarball),
    `packages/${shortName(tarball)}/README.md`,
  ]);
  const pages = [...readmes, ['ai-sdk', 'docs/ai-sdk.md']] as [string, string][];
  return new Map(
    pages.flatMap(([name, page]) => {
      const text = readFileSync(join(WORKSPACE, page), 'utf8');
      const blocks = text.matchAll(/^```js\n(import .*?)^```/gms);
      return [...blocks].map(([, code = ''], index) => [`${name}-${index}`, code] as const);
    }),
  );
}

/** Lists what a package lets others import, such as `@gatehouse/policy/files`. */
function entryPoints({ name }: Tarball): string[] {
  const manifest = readFileSync(join(tooOld.folder, 'node_modules', name, 'package.json'), 'utf8');
  const { exports } = JSON.parse(manifest);
  if (exports === undefined) return [];
  const paths = Object.keys(exports).filter((path) => /^\.(?!.*\.json$)/.test(path));
  return paths.length === 0 ? [name] : paths.map((path) => join(name, path));
}

async function setUp(project: Project): Promise<void> {
  await project.install(tarballs);
  for (const [name, code] of examples())
    for (const ending of ['mjs', 'mts']) project.write(`${name}.${ending}`, code);
}

beforeAll(async () => {
  // This script fails if either of the tools publint and "Are the Types Wrong" finds a fault.
  const script = join(WORKSPACE, 'dev/release.ts');
  const where = { cwd: WORKSPACE, timeoutMs: STEP_MS };
  const lines = await run(where, process.execPath, script, join(scratch, 'tarballs'));
  tarballs = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const installed = [tooOld.install(tarballs), ...projects.map(setUp)];
  await Promise.all(installed).catch((error: Error) => {
    throw new Error(`THE REGISTRY IS NEEDED to install the packages:\n${error.message}`);
  });
}, SETUP_MS);

afterAll(() => rmSync(scratch, { recursive: true }));

it('a package can be packed before anything is built', async () => {
  for (const tarball of tarballs)
    rmSync(join(WORKSPACE, 'packages', shortName(tarball), 'dist'), { recursive: true });
  const cwd = join(WORKSPACE, 'packages/policy');
  const destination = join(scratch, 'packed');
  expect(await run({ cwd }, 'pnpm', 'pack', '--pack-destination', destination)).toContain(
    'dist/index.js',
  );
});

describe('the packages, installed in an empty project', () => {
  it('contain the build, a README and the licence', async () => {
    for (const { tarball } of tarballs) {
      const files = (await run({ cwd: scratch }, 'tar', '-tzf', tarball)).trim().split('\n');
      const expected = expect.stringMatching(
        /^package\/(?:LICENSE|README\.md|package\.json|(?:destinations|profile)\.schema\.json|dist\/[\w/-]+\.(?:js|d\.ts))$/,
      );
      expect(files).toEqual(files.map(() => expected));
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md'].map((name) => `package/${name}`)),
      );
    }
  });

  it('run on Node 22 without a warning, and npm warns about each of them on an older Node', () => {
    expect(projects.map(({ tooNew }) => tooNew)).toEqual(projects.map(() => []));
    expect(tooOld.tooNew).toEqual(expect.arrayContaining(tarballs.map(({ name }) => name)));
  });

  it.each(projects)(
    'run on Node $major with AI SDK $ai: checks in-process, over HTTP and by the command, an execution, MCP',
    async (project) => {
      await using shop = await startUpstream({ body: { id: 7 } });
      await using policy = await startService('policy');
      await using executor = await startService('executor', {
        // Allow every port, because the examples send requests to services and upstreams on free
        // ports.
        HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1',
      });
      const urls = { POLICY_URL: policy.url, EXECUTOR_URL: executor.url, SHOP_URL: shop.origin };
      const outputs = [...examples().keys()].map(async (name) => [
        name,
        await project.run(urls, 'node', `${name}.mjs`),
      ]);
      const printed = Object.fromEntries(await Promise.all(outputs));
      expect(printed['policy-0']).toMatch(
        /^require_approval\nspend_limit require_approval .*\ndeny\namount_above_ceiling \{ max_amount_minor_units: 1000 \}\n$/s,
      );
      expect(printed['policy-1']).toMatch(/^loosening$.*^2 1 is an unknown property/ms);
      expect(printed['contracts-1']).toContain("message: 'must be a whole number of minor units");
      expect(printed['client-0']).toContain("outcome: 'success'");
      expect(JSON.parse(printed['http-executor-0'])).toMatchObject({
        ...{ outcome: 'success', status: 200, body: { id: 7 }, attempts: 1 },
      });

      expect(printed['ai-sdk-0'].match(/(?<=^told: +)\S.*/gm)).toEqual([
        expect.stringContaining('"state":"executed"'),
        expect.stringContaining('"state":"executed"'),
        '{"type":"execution-denied","reason":"Too dear."}',
        expect.stringMatching(/execution-denied.*above the ceiling of EUR 500\.00/),
        expect.stringMatching(/"state":"refused".*HostNotAllowed/),
      ]);

      const gatehouse = (...args: string[]) =>
        project.run({}, 'node_modules/.bin/gatehouse', ...args);
      expect(await gatehouse('--version')).toBe(`${tarballs[0]?.version}\n`);
      project.write('request.yaml', 'pii: { categories: [] }\n');
      await expect(gatehouse('check', 'request.yaml')).rejects.toThrow(/^require_approval by/m);

      const mcp = join(project.folder, 'node_modules/.bin/gatehouse-mcp');
      expect(await toolsOf(mcp, project.environment({}))).toEqual(['check_policy', 'http_request']);
    },
    STEP_MS,
  );

  it('each program and each entry point says which Node it needs', async () => {
    const version = await tooOld.run({}, 'node', '-p', 'process.versions.node');
    const said = `Gatehouse needs Node 22.19 or newer, but this is Node ${version.trim()}.\n`;
    for (const program of [
      ...['node_modules/.bin/gatehouse', 'node_modules/.bin/gatehouse-mcp'],
      ...['policy', 'executor'].map((service) => `node ${mainOf(service)}`),
    ])
      expect(await tooOld.run({}, 'sh', '-c', `${program} 2>&1; echo "exit code $?"`)).toBe(
        `${said}exit code 1\n`,
      );

    const script = 'import(process.argv[1]).catch(({ message }) => console.log(message))';
    const entries = tarballs.flatMap(entryPoints);
    expect(entries).toContain('@gatehouse/policy/files');
    for (const entry of entries)
      expect([entry, await tooOld.run({}, 'node', '-e', script, entry)]).toEqual([entry, said]);
  });

  const compilers = projects
    .filter(({ major }) => major !== 24)
    .flatMap((project) => ['5.9', '7'].map((version) => ({ version, ai: project.ai, project })));

  it.each(compilers)(
    'have types that TypeScript $version checks to the last file, with AI SDK $ai',
    async ({ version, project }) => {
      const compilerOptions = { strict: true, noEmit: true, target: 'es2023', types: ['node'] };
      const config = JSON.stringify({ compilerOptions, include: ['*.mts'] });
      project.write('tsconfig.json', config);
      const compile = (...resolution: string[]) =>
        runOf(project.folder, `typescript@${version}`, 'tsc', '-p', '.', ...resolution);
      await compile('--module', 'nodenext');
      await compile('--module', 'esnext', '--moduleResolution', 'bundler');
    },
    STEP_MS,
  );
});
