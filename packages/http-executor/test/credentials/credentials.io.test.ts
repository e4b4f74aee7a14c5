import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { credentialsOnHost, openUpstreams } from '../../src/credentials/upstreams.ts';
import { createSandbox, loadDestinations } from '../../src/index.ts';
import type { Transport } from '../../src/wire.ts';
import { fakeClock } from '../support/clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = `
destinations:
  - { host: api.test, paths: [/a], credential: bearer }
  - { host: api.test:8443, credential: header }
  - { host: "*.test", credential: bearer }
  - { host: "*.test:8443", credential: cookie }
  - { host: erp.example, credential: erp }
  - { host: open.example }
credentials:
  bearer: { type: bearer, token_file: bearer }
  header: { type: header, name: X-Api-Key, value_file: header }
  cookie: { type: header, name: Cookie, value_file: cookie }
  erp: { type: oauth2_client_credentials, token_url: "https://id.test/", client_id: me, client_secret_file: client }
`;

/** Opens the credentials of a file. The token endpoint issues `token-1`, `token-2` and so on. */
function open(clock = fakeClock()) {
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  write('d.yaml', FILE);
  for (const name of ['bearer', 'header', 'cookie', 'client']) write(name, `${name}-secret-0123`);
  let requests = 0;
  const transport: Transport = async () => {
    requests += 1;
    const bytes = Buffer.from(JSON.stringify({ access_token: `token-${requests}` }));
    return { status: 200, headers: {}, body: { bytes } };
  };
  const deps = { transport, clock, attemptTimeoutMs: 1_000 };
  const file = loadDestinations(join(folder, 'd.yaml'));
  const before = createSandbox([], []).upstreams;
  const upstreams = openUpstreams(file, before, deps);
  const get = (name: string) => {
    const credential = upstreams.credentials.get(name);
    if (credential === undefined) throw new Error(name);
    return credential;
  };
  const header = async (name: string) => {
    const found = await get(name).header();
    return found.ok ? found.value : expect.fail(found.reason.reason);
  };
  return {
    ...{ write, upstreams, get, header },
    requests: () => requests,
    again: () => openUpstreams(loadDestinations(join(folder, 'd.yaml')), upstreams, deps),
  };
}

describe('the header of a credential', () => {
  it.each(['bearer', 'header', 'cookie', 'erp'])(
    'of %s is one object until it changes',
    async (name) => {
      const test = open();
      const file = name === 'erp' ? 'client' : name;
      const first = await test.header(name);
      expect(await test.header(name)).toBe(first);
      test.write('new', `${file}-secret-4567`);
      renameSync(join(folder, 'new'), join(folder, file));
      const second = await test.header(name);
      expect(second).not.toEqual(first);
      expect(await test.header(name)).toBe(second);
    },
  );

  it('is one object if the file is written again with the same secret', async () => {
    const test = open();
    const first = await test.header('bearer');
    test.write('bearer', 'bearer-secret-0123\n');
    expect(await test.header('bearer')).toBe(first);
  });

  it('may be a cookie', async () => {
    const test = open();
    const cookie = 'view=4f2a9c77aa11bb22c3; page=1';
    test.write('cookie', cookie);
    expect(await test.header('cookie')).toMatchObject({ name: 'cookie', value: cookie });
  });

  it('does not outlive its file', async () => {
    const test = open();
    await test.header('bearer');
    rmSync(join(folder, 'bearer'));
    const unavailable = { ok: false, reason: { reason: 'secret file cannot be read (ENOENT)' } };
    expect(await test.get('bearer').header()).toEqual(unavailable);
    test.write('bearer', 'bearer-secret-0123');
    expect(await test.header('bearer')).toMatchObject({ value: 'Bearer bearer-secret-0123' });
  });

  it('stays the same after a reload of a file with the same credential', async () => {
    const test = open();
    const first = await test.header('erp');
    test.write('d.yaml', FILE.replace('[/a]', '[/b]'));
    expect(await test.again().credentials.get('erp')?.header()).toEqual({ ok: true, value: first });
    test.write('d.yaml', FILE.replace('client_id: me', 'client_id: you'));
    const other = await test.again().credentials.get('erp')?.header();
    expect(other).toMatchObject({ value: { value: 'Bearer token-2' } });
  });
});

describe('a refused header', () => {
  it('is discarded if it is a token of more than 30 s', async () => {
    const clock = fakeClock();
    const test = open(clock);
    const first = await test.header('erp');
    clock.pass(30_000);
    expect(test.get('erp').discard(first)).toBe(false);
    expect(await test.header('erp')).toBe(first);
    clock.pass(1);
    expect(test.get('erp').discard(first)).toBe(true);
    const second = await test.header('erp');
    expect(second.value).toBe('Bearer token-2');
    // Another execution may have sent the first token, and may now use the second.
    expect(test.get('erp').discard(first)).toBe(true);
    expect(await test.header('erp')).toBe(second);
    expect(test.requests()).toBe(2);
  });

  it.each(['bearer', 'header', 'cookie'])('is never discarded if it is a %s', async (name) => {
    const clock = fakeClock();
    const test = open(clock);
    const header = await test.header(name);
    clock.pass(60_000);
    expect(test.get(name).discard(header)).toBe(false);
  });
});

describe('the current headers of a credential', () => {
  it('are read from a file, even if it was not used', async () => {
    const test = open();
    const current = () => test.get('header').current();
    expect(current()).toMatchObject([{ value: 'header-secret-0123' }]);
    expect(current()).toEqual([await test.header('header')]);
    // An upstream may still know a secret whose file is being replaced.
    test.write('header', '');
    expect(current()).toMatchObject([{ value: 'header-secret-0123' }]);
  });

  it('are the client secret and the token in memory, without a request', async () => {
    const test = open();
    const current = () => test.get('erp').current();
    const client = { secret: expect.any(String), secrets: { count: 1 } };
    expect([current(), test.requests()]).toMatchObject([[client], 0]);
    const header = await test.header('erp');
    expect(current()).toMatchObject([client, header]);
  });
});

describe('the credentials on a host', () => {
  it.each([
    ['api.test', ['bearer', 'header', 'cookie']],
    ['x.test', ['bearer', 'cookie']],
    ['erp.example', ['erp']],
    ['open.example', []],
    ['test', []],
    ['other.example', []],
  ])('%s are those of every port: %j', (hostname, names) => {
    const { upstreams } = open();
    expect(credentialsOnHost(upstreams, hostname).map(({ name }) => name)).toEqual(names);
  });
});
