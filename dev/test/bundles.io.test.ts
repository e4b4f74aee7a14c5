import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { post, startProcess, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { mainOf } from '../build-services.ts';

const SETTINGS = { policy: 'POLICY_BIND_ADDR', executor: 'HTTP_EXECUTOR_BIND_ADDR' };

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundles-'));

for (const name of Object.keys(SETTINGS))
  cpSync(dirname(mainOf(name)), join(folder, name), { recursive: true });

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a bundle in a folder that contains no other files of the project. */
async function start(name: keyof typeof SETTINGS, env: Record<string, string> = {}) {
  const main = pathToFileURL(join(folder, name, 'main.mjs'));
  // Prevents a 503 when tests share a busy machine.
  const settings = { [SETTINGS[name]]: '127.0.0.1:0', MAX_EVENT_LOOP_DELAY_MS: '600000' };
  const child = startProcess(main, { env: { ...settings, ...env } });
  const [, url = ''] = await child.printed(/listening at (http:[^"]+)/);
  return Object.assign(child, { url });
}

it.each(['policy', 'executor'] as const)('%s serves its documentation', async (name) => {
  await using service = await start(name);
  expect(await (await fetch(`${service.url}/openapi.json`)).json()).toHaveProperty('paths');
  const bundle = await fetch(`${service.url}/docs/static/swagger-ui-bundle.js`);
  expect([bundle.status, (await bundle.text()).length > 100_000]).toEqual([200, true]);
});

it('executor examines a response on its threads', async () => {
  await using upstream = await startUpstream((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":"7"}');
  });
  await using service = await start('executor');
  const action = {
    method: 'GET',
    url: upstream.origin,
    response_schema: { properties: { id: { type: 'integer' } } },
  };
  const { text } = await post(`${service.url}/execute`, JSON.stringify(action));
  expect(JSON.parse(text)).toMatchObject({
    error: 'SchemaValidationFailed',
    violations: [{ path: '/id' }],
  });
});

it('names the version of Node that it needs', () => {
  const pretend = (version: string) => {
    const versions = JSON.stringify({ ...process.versions, node: version });
    const preloaded = `Object.defineProperty(process, 'versions', { value: ${versions} })`;
    const options = ['--import', `data:text/javascript,${encodeURIComponent(preloaded)}`];
    // Even if the service accepts this version, the invalid address makes the service exit.
    const env = { POLICY_BIND_ADDR: 'none' };
    return spawnSync(process.execPath, [...options, mainOf('policy')], { env, encoding: 'utf8' });
  };
  for (const version of ['20.20.2', '22.18.0'])
    expect(pretend(version)).toMatchObject({
      status: 1,
      stderr: `Gatehouse needs Node 22.19 or newer, but this is Node ${version}.\n`,
    });
  for (const version of ['22.19.0', '24.0.0'])
    expect(pretend(version).stderr).toContain('policy cannot start; correct these settings');
});
