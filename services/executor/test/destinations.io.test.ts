import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  authority,
  replaceFile,
  reply,
  runToExit,
  type ServiceProcess,
  startCollector,
  startService,
  startUpstream,
  type Upstream,
} from '@gatehouse/testing';
import { describe, type ExpectStatic, expect, it } from 'vitest';

const SECRET = 'Tok_4f9c1e7a2b8d6035aabb';
const CLIENT_SECRET = 'Client0a1b2c3d4e5f6071';
const OAUTH_TOKEN = 'Oauth_7f6e5d4c3b2a1908';

type Files = Readonly<Record<string, string>>;

/** Writes files to a folder of their own. */
function folderWith(files: Files) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-destinations-'));
  const path = (name: string) => join(folder, name);
  const write = (name: string, content: string, mode = 0o600) =>
    writeFileSync(path(name), content, { mode });
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { path, write, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const fileFor = ({ port }: Upstream, more = '') => `
destinations:
  - { host: "127.0.0.1:${port}", paths: ["/mine/**"], callers: [planner], credential: shop, per_minute: 2 }
  - { host: "127.0.0.1:${port}", paths: ["/all"]${more} }
credentials:
  shop: { type: bearer, token_file: secret }
`;

const TOKEN_ANSWER = { access_token: OAUTH_TOKEN, token_type: 'Bearer' };

function filesWithOAuth(upstream: Upstream) {
  const orders = `  - { host: "127.0.0.1:${upstream.port}", paths: [/orders], credential: erp }`;
  const erp = `  erp: { type: oauth2_client_credentials, token_url: "${upstream.origin}/token", client_id: me, client_secret_file: client }`;
  const file = fileFor(upstream).replace('credentials:', `${orders}\ncredentials:\n${erp}`);
  return { 'destinations.yaml': file, secret: SECRET, client: CLIENT_SECRET };
}

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const TOKENS = 'planner:planner-token-0123456789,other:other-token-0123456789';

/** Starts an executor whose working directory is not the folder of its files. */
async function start(files: Files, env: Files = {}) {
  const folder = folderWith(files);
  const service = await startService('executor', {
    HTTP_EXECUTOR_DESTINATIONS_FILE: relative('', folder.path('destinations.yaml')),
    HTTP_EXECUTOR_API_TOKENS: TOKENS,
    ...env,
  });
  const get = async (path: string, caller: string, body?: object) => {
    const response = await fetch(`${service.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${caller}-token-0123456789`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    service,
    folder,
    get,
    execute: (url: string, caller: string, query = '') =>
      get(`/execute${query}`, caller, { method: 'GET', url }),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Returns a function that waits for the next log line of a change, which must have `fields`. */
function changesOf(service: ServiceProcess, expect: ExpectStatic) {
  let count = 0;
  const changes = () => service.lines().filter(({ msg }) => msg === 'destinations changed');
  return async (fields: object): Promise<void> => {
    count += 1;
    await expect.poll(changes).toHaveLength(count);
    expect(changes().at(-1)).toMatchObject(fields);
  };
}

describe.concurrent('an executor with a destinations file', () => {
  it('adds credentials and never shows any part of them', async () => {
    await using collector = await startCollector();
    const location = `https://${SECRET}.evil.test/${SECRET}?${SECRET}`;
    await using upstream = await startUpstream(({ url, headers }, response) => {
      if (url === '/token') reply(response, { body: TOKEN_ANSWER });
      else if (url === '/mine/moved') reply(response, { status: 302, headers: { location } });
      else reply(response, { headers: { 'x-echo': headers.authorization }, body: headers });
    });
    await using test = await start(filesWithOAuth(upstream), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
    const shown: string[] = [];
    for (const path of ['/mine/1', '/mine/moved', '/orders', '/elsewhere'])
      for (const query of ['', '?dry_run=true'])
        shown.push((await test.execute(upstream.origin + path, 'planner', query)).text);
    for (const path of ['/sandbox', '/metrics', '/openapi.json'])
      shown.push((await test.get(path, 'planner')).text);
    const process = execFileSync('ps', ['eww', '-p', `${test.service.pid}`], { encoding: 'utf8' });
    expect(process).toContain('HTTP_EXECUTOR_DESTINATIONS_FILE=');
    await test.service.stop();
    expect(collector.spans().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /execute', 'GET']),
    );
    expect(new Set(upstream.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${SECRET}`, `Bearer ${OAUTH_TOKEN}`, basic('me', CLIENT_SECRET)]),
    );
    const all = [...shown, test.service.output, collector.text(), process];
    for (const secret of [SECRET, CLIENT_SECRET, OAUTH_TOKEN])
      for (const text of all) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it('shows each caller its own destinations', async () => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    const hostText = `127.0.0.1:${upstream.port}`;
    const seenBy = async (caller: string) => JSON.parse((await test.get('/sandbox', caller)).text);
    expect(await seenBy('planner')).toMatchObject({
      allowed_hosts: [hostText],
      destinations: [
        { host: hostText, paths: ['/mine/**'], credential: 'shop', per_minute: 2 },
        { host: hostText, paths: ['/all'] },
      ],
    });
    expect((await seenBy('other')).destinations).toEqual([{ host: hostText, paths: ['/all'] }]);
  });

  it('answers 429 with `retry-after` above `per_minute`', async () => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    const url = `${upstream.origin}/mine/1`;
    for (let count = 0; count < 2; count++)
      expect((await test.execute(url, 'planner')).status).toBe(200);
    const limited = await test.execute(url, 'planner');
    expect(limited.status).toBe(429);
    // Expect 30 seconds, minus the time that the requests took.
    expect(limited.headers.get('retry-after')).toMatch(/^(?:30|2\d)$/);
  });

  it('reloads a changed file as a whole, and keeps the last good file', async ({ expect }) => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    const { folder, service } = test;
    const changed = changesOf(service, expect);
    const replace = (content: string) => replaceFile(folder.path('destinations.yaml'), content);
    const url = `${upstream.origin}/all`;
    const { host } = new URL(url);
    expect((await test.execute(url, 'other')).status).toBe(200);
    replace(fileFor(upstream, ', callers: [planner]'));
    await changed({ level: 'warn', added: [], removed: [], changed: [host] });
    expect((await test.execute(url, 'other')).status).toBe(403);
    const mistakes = ['', 'destinations: [{ host: "a b" }]', 'destinations: {'];
    for (const [index, mistake] of mistakes.entries()) {
      replace(mistake);
      await expect
        .poll(async () => (await test.get('/metrics', 'planner')).text)
        .toContain(`executor_destinations_reloads_total{result="invalid"} ${index + 1}\n`);
      expect((await test.execute(url, 'other')).status).toBe(403);
    }
    replace(fileFor(upstream));
    await changed({ level: 'warn', changed: [host] });
    expect((await test.execute(url, 'other')).status).toBe(200);
    replace('destinations: []');
    await changed({ level: 'info', added: [], removed: [host, host], changed: [] });
  });

  it('refuses a file whose authority is missing, and reads a changed authority again', async ({
    expect,
  }) => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    const { folder, service } = test;
    const changed = changesOf(service, expect);
    const { cert } = await authority('ours');
    const more = ', ca_file: ca.pem }\n  - { host: other.test, ca_file: other.pem';
    replaceFile(folder.path('destinations.yaml'), fileFor(upstream, more));
    await service.printed(/"reason":"[^"]*:\d+: \/destinations\/\d has TLS files .*ENOENT/);
    replaceFile(folder.path('other.pem'), (await authority('other')).cert);
    replaceFile(folder.path('ca.pem'), cert);
    const host = new URL(upstream.origin).host;
    await changed({ level: 'warn', added: ['other.test'], removed: [], changed: [host] });
    const both = `${cert}\n${(await authority('more')).cert}`;
    replaceFile(folder.path('ca.pem'), both);
    await changed({ level: 'warn', added: [], changed: [host] });
    replaceFile(folder.path('other.pem'), both);
    await changed({ level: 'warn', added: [], changed: ['other.test'] });
  });

  it('uses a secret that is renamed into place for the next execution', async () => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    const secrets = [SECRET, 'Next_0123456789abcdef'];
    for (const secret of secrets) {
      replaceFile(test.folder.path('secret'), secret);
      await test.execute(`${upstream.origin}/mine/1`, 'planner');
    }
    const sent = upstream.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(secrets.map((each) => `Bearer ${each}`));
  });

  it('logs which credential is unavailable, and why', async () => {
    await using upstream = await startUpstream();
    await using test = await start({ 'destinations.yaml': fileFor(upstream), secret: SECRET });
    replaceFile(test.folder.path('secret'), '');
    expect((await test.execute(`${upstream.origin}/mine/1`, 'planner')).status).toBe(503);
    await test.service.printed(/"reason":"[^"]*`shop` is unavailable: its secret file is empty/);
  });

  it('passes on when the token endpoint wants to be asked again, and its error', async () => {
    const limited = { status: 429, headers: { 'retry-after': '30' }, body: { error: 'slow_down' } };
    await using upstream = await startUpstream(limited);
    await using test = await start(filesWithOAuth(upstream));
    const { status, headers, text } = await test.execute(`${upstream.origin}/orders`, 'planner');
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    expect(JSON.parse(text).detail).toContain('its token endpoint refused the client (slow_down)');
    await test.service.printed(/"reason":"[^"]*`erp` is unavailable: [^"]*\(slow_down\)/);
  });

  it.each([
    ['a missing secret file', undefined, 'secret file cannot be read (ENOENT)'],
    ['an empty secret', '', 'secret file is empty'],
    [
      'a secret with a line break inside',
      `${SECRET}\n${SECRET}\n`,
      'secret file contains the control or invisible character U+000A',
    ],
    ['a secret that is too long', SECRET.repeat(400), 'secret file has more than 8192 characters'],
  ])('does not start with %s', async (_name, secret, reason) => {
    await using upstream = await startUpstream();
    const files = { 'destinations.yaml': fileFor(upstream) };
    using folder = folderWith(secret === undefined ? files : { ...files, secret });
    const ending = await runToExit('executor', {
      HTTP_EXECUTOR_DESTINATIONS_FILE: folder.path('destinations.yaml'),
    });
    expect(ending.code).toBe(1);
    expect(ending.stderr).toContain('HTTP_EXECUTOR_DESTINATIONS_FILE=');
    expect(ending.stderr).toContain(
      `destinations.yaml:6: /credentials/shop cannot be used: its ${reason} (${folder.path('secret')})`,
    );
    expect(ending.stderr).not.toContain(SECRET);
  });

  it('does not start with an allowlist as well', async () => {
    using folder = folderWith({ 'destinations.yaml': 'destinations: []' });
    const ending = await runToExit('executor', {
      HTTP_EXECUTOR_DESTINATIONS_FILE: folder.path('destinations.yaml'),
      HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost',
    });
    expect([ending.code, ending.stderr]).toEqual([
      1,
      expect.stringContaining('must not be set together with HTTP_EXECUTOR_DESTINATIONS_FILE'),
    ]);
  });

  it('warns of secrets that every user can read, and of unknown callers', async ({ expect }) => {
    await using upstream = await startUpstream();
    const content = fileFor(upstream, ', callers: [nobody]');
    await using test = await start({ 'destinations.yaml': content, secret: SECRET });
    await test.service.printed(/some callers in the destinations file have no token/);
    expect(test.service.output).not.toContain('every user can read');
    test.folder.write('open', SECRET);
    execFileSync('chmod', ['644', test.folder.path('open')]);
    replaceFile(
      test.folder.path('destinations.yaml'),
      content.replace('token_file: secret', 'token_file: open'),
    );
    await test.service.printed(/every user can read the secret file of the credential `shop`/);
    await expect
      .poll(() => test.service.output.match(/callers in the destinations file have no token/g))
      .toHaveLength(2);
  });
});
