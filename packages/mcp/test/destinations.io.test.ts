import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, shared, startProcess, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { HARMLESS, httpHost, MAIN, startMcp, stdioHost, textOf } from './support/host.ts';

const KEY = 'canary-4f9d8e7c6b5a';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mcp-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Upstream that repeats the credential it was sent, in a header and in the body. */
const shop = shared(() =>
  startUpstream(({ headers: { authorization = '' } }, response) =>
    reply(response, { headers: { 'x-echo': authorization }, body: { echo: authorization } }),
  ),
);

function destinationsFile(port: number, name = 'shop'): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(join(folder, 'shop.key'), `${KEY}\n`, { mode: 0o600 });
  const text = `destinations:
  - host: 127.0.0.1:${port}
    methods: [GET]
    paths: ["/orders", "/orders/**"]
    credential: ${name}
  - host: 127.0.0.1:${port}
    callers: [planner]
credentials:
  shop: { type: bearer, token_file: shop.key }
`;
  writeFileSync(path, text);
  return path;
}

it('adds the credential of a destination, which no model or log sees', async () => {
  const file = destinationsFile(shop().port);
  const args = ['--destinations-file', file];
  await using mcp = await startMcp({ env: { HTTP_EXECUTOR_DESTINATIONS_FILE: file } });
  await using overHttp = await httpHost(mcp);
  await using overStdio = await stdioHost({ args });
  for (const host of [overHttp, overStdio]) {
    const get = { method: 'GET', url: `${shop().origin}/orders/7`, ...HARMLESS };
    const answer = await host.request(get);
    expect(textOf(answer)).toContain('"body":{"echo":"Bearer REDACTED"}');
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(shop().requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);

    const sent = shop().requests.length;
    for (const [change, says] of [
      [{ headers: { authorization: 'Bearer mine' } }, /adds the credential `shop`/],
      [{ method: 'POST' }, /was refused before it was sent/],
      [{ url: `${shop().origin}/customers` }, /was refused before it was sent/],
    ] as const)
      expect(textOf(await host.request({ ...get, ...change }))).toMatch(says);
    expect(shop().requests).toHaveLength(sent);
  }
  const rotated = `${KEY}-rotated`;
  writeFileSync(join(folder, 'shop.key'), rotated);
  const again = await overHttp.request({
    method: 'GET',
    url: `${shop().origin}/orders`,
    ...HARMLESS,
  });
  expect(textOf(again)).toContain('"body":{"echo":"Bearer REDACTED"}');
  expect(shop().requests.at(-1)?.headers.authorization).toBe(`Bearer ${rotated}`);
  expect(mcp.stderr).toContain(`"destinations_file":"${file}"`);
  expect(mcp.stderr).toMatch(
    /shop\.yaml:6: \/destinations\/1 matches no call, because it has `call/,
  );
  expect(mcp.output).not.toContain(KEY);
});

it('starts with the destinations file in the README', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, file = ''] = /^```yaml\n(destinations:.*?)^```/ms.exec(readme) ?? [];
  writeFileSync(join(folder, 'readme.yaml'), file);
  writeFileSync(join(folder, 'github.token'), KEY, { mode: 0o600 });
  const args = ['--destinations-file', join(folder, 'readme.yaml')];
  await using child = startProcess(MAIN, { args });
  expect(await child.ended).toEqual({ code: 0, signal: null });
  expect(child.stderr).toContain('readme.yaml"');
  expect(child.stderr).not.toContain('warning');
});

it('does not start with a destinations file that it cannot use', async () => {
  const good = destinationsFile(1);
  const cases = [
    [{}, destinationsFile(1, 'stock'), /stock\.yaml:5:5: \/destinations\/0\/credential/],
    [{ HTTP_EXECUTOR_ALLOWED_HOSTS: 'a.example' }, good, /cannot be used with/],
    [{ GATEHOUSE_EXECUTOR_URL: 'http://a.example' }, good, /cannot be used with/],
  ] as const;
  for (const [more, file, says] of cases) {
    const env = { ...more, HTTP_EXECUTOR_DESTINATIONS_FILE: file };
    await using child = startProcess(MAIN, { env });
    expect(await child.ended).toMatchObject({ code: 1 });
    expect(child.stderr).toMatch(/^gatehouse-mcp cannot start: .*HTTP_EXECUTOR_DESTINATIONS_FILE/);
    expect(child.stderr).toMatch(says);
  }

  rmSync(join(folder, 'shop.key'));
  await using child = startProcess(MAIN, { args: ['--destinations-file', good] });
  expect(await child.ended).toMatchObject({ code: 1 });
  expect(child.stderr).toMatch(/'--destinations-file <file>'.*\/credentials\/shop cannot be used/s);
});
