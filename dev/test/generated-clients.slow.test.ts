import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRINTED, PYTHON, TYPESCRIPT } from './support/client-programs.ts';
import { pythonProgramsIfAny } from './support/python.ts';
import { run } from './support/run.ts';

/** TypeScript 5, on which the generators work; the clients compile with it, too. */
const GENERATORS = [
  ...['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0'],
  ...['typescript@5.9', '@types/node@26'],
];
const INSTALL_MS = 120_000;
const SERVICES = ['policy', 'executor'] as const;

const documentOf = (service: string) =>
  new URL(`../../openapi/${service}.json`, import.meta.url).pathname;

const project = mkdtempSync(join(tmpdir(), 'gatehouse-clients-'));
const running = new AsyncDisposableStack();
const env = { POLICY_URL: '', EXECUTOR_URL: '', TOKEN: 'of-a-planner' };

beforeAll(async () => {
  const policy = running.use(await startService('policy'));
  env.POLICY_URL = policy.url.replace('127.0.0.1', 'localhost');
  const settings = {
    HTTP_EXECUTOR_ALLOWED_HOSTS: `localhost:${policy.port}`,
    HTTP_EXECUTOR_API_TOKENS: env.TOKEN,
  };
  env.EXECUTOR_URL = running.use(await startService('executor', settings)).url;
});

afterAll(async () => {
  await running.disposeAsync();
  rmSync(project, { recursive: true });
});

const lines = (text: string) => text.split('\n').slice(0, -1);

const installed = await installGenerators();

async function installGenerators(): Promise<boolean> {
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--prefer-offline', '--loglevel=error', '--no-audit', '--no-fund'];
  return await run(
    { cwd: project, timeoutMs: INSTALL_MS },
    'npm',
    'install',
    ...quiet,
    ...GENERATORS,
  )
    .then(() => true)
    .catch((error: Error) => {
      console.warn(`LEFT OUT: clients in TypeScript; npm cannot install: ${error.message}`);
      return false;
    });
}

describe.skipIf(!installed)('clients in TypeScript', () => {
  const bin = (name: string, ...args: string[]) =>
    run({ cwd: project, env }, join(project, 'node_modules/.bin', name), ...args);

  it('are made, pass the compiler and work', async () => {
    mkdirSync(join(project, 'src'));
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, types: ['node'], outDir: 'dist' },
      ...{ target: 'es2023', module: 'nodenext' },
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    for (const service of SERVICES) {
      await bin('openapi-typescript', documentOf(service), '-o', `src/${service}.d.ts`);
      await bin('openapi-ts', '-i', documentOf(service), '-o', `src/hey-${service}`);
    }
    for (const [name, text] of Object.entries(TYPESCRIPT))
      writeFileSync(join(project, 'src', name), text);
    await bin('tsc', '-p', '.');
    for (const name of Object.keys(TYPESCRIPT)) {
      const program = join(project, 'dist', name.replace(/ts$/, 'js'));
      const printed = await run({ cwd: project, env }, process.execPath, program);
      expect([name, ...lines(printed)]).toEqual([name, ...PRINTED]);
    }
  });
});

const programs = await pythonProgramsIfAny('openapi-python-client==0.29.1');

it.skipIf(programs === undefined)(
  'clients in Python are made without a warning, and work',
  async () => {
    const python = (name: string, ...args: string[]) =>
      run(
        { cwd: project, env: { ...env, PATH: `${programs}:${process.env.PATH}` } },
        name,
        ...args,
      );
    for (const service of SERVICES) {
      const generate = ['generate', '--meta', 'none', '--output-path', `${service}_client`];
      const made = await python(
        'openapi-python-client',
        ...generate,
        '--path',
        documentOf(service),
      );
      expect(made).not.toMatch(/warning/i);
    }
    writeFileSync(join(project, 'planner.py'), PYTHON);
    expect(lines(await python('python', 'planner.py'))).toEqual(PRINTED);
  },
);
