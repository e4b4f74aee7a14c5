import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess, startService } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack } from '../release.ts';
import { QUIET, runOf, STEP_MS } from './support/install.ts';
import { run } from './support/run.ts';

const WORKSPACE = new URL('../..', import.meta.url).pathname;
const SETUP_MS = 200_000;

const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-gateway-'));
const copy = join(scratch, 'gateway');

// These are the same steps as in the gateway's README.
beforeAll(async () => {
  const tarballs = pack(join(scratch, 'tarballs'));
  mkdirSync(copy);
  const here = { cwd: join(WORKSPACE, 'examples/gateway') };
  const packed = await run(here, 'pnpm', 'pack', '--json', '--pack-destination', scratch);
  const there = { cwd: copy, timeoutMs: STEP_MS };
  await run(there, 'tar', '-xzf', JSON.parse(packed).filename, '--strip-components', '1');
  await run(there, 'npm', 'pkg', 'delete', 'devDependencies');
  const files = tarballs.map(({ tarball }) => tarball);
  await run(there, 'npm', 'install', ...QUIET, '--no-save', '@types/node@26', ...files);
}, SETUP_MS);

afterAll(() => rmSync(scratch, { recursive: true }));

describe('the example gateway, copied out of the repository', () => {
  it('runs a plan through both services, and documents its API', async () => {
    await using policy = await startService('policy');
    await using executor = await startService('executor');
    await using gateway = startProcess(join(copy, 'src/main.ts'), {
      env: {
        GATEWAY_BIND_ADDR: '127.0.0.1:0',
        ...{ GATEWAY_POLICY_URL: policy.url, GATEWAY_EXECUTOR_URL: executor.url },
      },
    });
    const [, url] = await gateway.printed(/listening at (http:[^"]+)/);
    const step = {
      ...{ id: 'look', action: { method: 'GET', url: `${policy.url}/healthz` } },
      spend: { amount_minor_units: 0, currency: 'EUR' },
      ...{ pii: { categories: [] }, legal: { flags: [] } },
    };
    const answer = await fetch(`${url}/plans`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ steps: [step] }),
    });
    expect(await answer.json()).toMatchObject({
      status: 'completed',
      steps: [{ outcome: { outcome: 'success', body: { status: 'ok' } } }],
    });
    expect(await (await fetch(`${url}/docs`)).text()).toMatch(/swagger-ui/);
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
      openapi: '3.1.0',
      paths: { '/plans': { post: { operationId: 'runPlan' } } },
    });
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  it('passes the type check', async () => {
    const options = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--resolveJsonModule'];
    const modules = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    await runOf(copy, 'typescript@7', 'tsc', ...options, ...modules, 'src/main.ts');
  });
});
