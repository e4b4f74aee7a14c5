import type { FailureOutcome, Problem } from '@gatehouse/contracts';
import { shared, startUpstream } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { type Executor, startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';

/** Every name leads to loopback, where one upstream counts what arrives. */
const upstream = await startUpstream();
const PORT = String(upstream.port);
afterAll(() => upstream[Symbol.asyncDispose]());

const start = (allowed: string | undefined): Promise<Executor> =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...(allowed === undefined ? {} : { HTTP_EXECUTOR_ALLOWED_HOSTS: allowed }),
    },
    connect: {
      resolve: (_hostname, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  });

/**
 * What came of an action: the answer, and how many requests and connections arrived
 * meanwhile.
 */
async function ask(executor: Executor, url: string) {
  const before = { requests: upstream.requests.length, connections: upstream.connections };
  const response = await executor.execute({ method: 'POST', url: url.replace('PORT', PORT) });
  const body = (await response.json()) as Partial<Problem & FailureOutcome>;
  const requests = upstream.requests.length - before.requests;
  return {
    status: response.status,
    body,
    requests,
    connections: upstream.connections - before.connections,
  };
}

const ADMITTED = { status: 200, body: { outcome: 'success' }, requests: 1 };
const REFUSED = { status: 403, body: { code: 'HostNotAllowed' }, requests: 0, connections: 0 };

/** An entry of each form. */
const ENTRIES = [
  'api.test',
  `port.test:${PORT}`,
  'other-port.test:1',
  'http.test:80',
  'https.test:443',
  '*.wild.test',
  `*.wild-port.test:${PORT}`,
  '*.wild-other-port.test:1',
  'bücher.test',
  '*.müller.test',
  '127.0.0.1',
  '[::1]:2',
];

const INSIDE = [
  'http://api.test:PORT/',
  'http://API.Test:PORT/',
  'http://port.test:PORT/',
  'http://v1.wild.test:PORT/',
  'http://eu.v1.WILD.test:PORT/',
  'http://v1.wild-port.test:PORT/',
  'http://bücher.test:PORT/',
  'http://BÜCHER.test:PORT/',
  'http://xn--bcher-kva.test:PORT/',
  'http://api.müller.test:PORT/',
  'http://api.xn--mller-kva.test:PORT/',
  'http://127.0.0.1:PORT/',
];

/**
 * Odd ways of writing a host inside, with the host that the URL means once it is parsed.
 */
const SPELLINGS: [url: string, canonical: string][] = [
  ['http://2130706433:PORT/', '127.0.0.1'],
  ['http://0x7f.1:PORT/', '127.0.0.1'],
  ['http://0x7f000001:PORT/', '127.0.0.1'],
  ['http://0177.0.0.1:PORT/', '127.0.0.1'],
  ['http://127.1:PORT/', '127.0.0.1'],
  ['http://127.0.0.1.:PORT/', '127.0.0.1'],
  ['http://api.te%73t:PORT/', 'api.test'],
  ['http://ａｐｉ.test:PORT/', 'api.test'],
  ['http://a\u00adpi.test:PORT/', 'api.test'],
  ['http://api.test.:PORT/', 'api.test'],
];

const OUTSIDE = [
  'http://other.test:PORT/',
  'http://localhost:PORT/',
  'http://v1.api.test:PORT/',
  'http://xapi.test:PORT/',
  'http://api.test.evil.test:PORT/',
  'http://evil.test:PORT/api.test',
  'http://evil.test:PORT/?api.test',
  'http://evil.test:PORT/#@api.test',
  'http://port.test/',
  'http://other-port.test:PORT/',
  'http://http.test:PORT/',
  'https://http.test/',
  'http://https.test/',
  'http://wild.test:PORT/',
  'http://.wild.test:PORT/',
  'http://xwild.test:PORT/',
  'http://v1.wild-other-port.test:PORT/',
  'http://bucher.test:PORT/',
  'http://127.0.0.2:PORT/',
  'http://0.0.0.0:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
];

describe('the allowlist', () => {
  const executor = shared(() => start(ENTRIES.join(' , ')));

  it.each(INSIDE)('admits %s', async (url) => {
    expect(await ask(executor(), url)).toMatchObject(ADMITTED);
  });

  it.each(SPELLINGS)('does not admit %s, and says that it means %s', async (url, canonical) => {
    const answer = await ask(executor(), url);
    expect(answer).toMatchObject(REFUSED);
    expect(answer.body.detail).toEqual(textWith('canonical form', `\`${canonical}\``));
  });

  it('admits a literal with its port', async () => {
    const failed = { error: 'ConnectFailure', message: textWith('[::1]:2') };
    expect(await ask(executor(), 'http://[::1]:2/')).toMatchObject({ status: 200, body: failed });
  });

  it.each(OUTSIDE)('does not admit %s', async (url) => {
    expect(await ask(executor(), url)).toMatchObject(REFUSED);
  });

  it('does not admit a host in front of a backslash', async () => {
    expect(await ask(executor(), 'http://evil.test:PORT\\.wild.test/')).toMatchObject({
      status: 400,
      body: { code: 'InvalidAction' },
      connections: 0,
    });
  });

  it('says which setting would have to change', async () => {
    const { body } = await ask(executor(), 'http://other.test/');
    expect(body.detail).toEqual(textWith('other.test', 'HTTP_EXECUTOR_ALLOWED_HOSTS'));
  });
});

describe('the default allowlist', () => {
  const executor = shared(() => start(undefined));

  it.each(['http://localhost:PORT/', 'http://LOCALHOST:PORT/', 'http://127.0.0.1:PORT/'])(
    'admits %s',
    async (url) => {
      expect(await ask(executor(), url)).toMatchObject(ADMITTED);
    },
  );

  it('admits http://[::1]:2/', async () => {
    expect(await ask(executor(), 'http://[::1]:2/')).toMatchObject({
      status: 200,
      body: { error: 'ConnectFailure' },
    });
  });

  it.each([
    'http://127.0.0.2:PORT/',
    'http://sub.localhost:PORT/',
    'http://api.test:PORT/',
    'http://0.0.0.0:PORT/',
  ])('does not admit %s', async (url) => {
    expect(await ask(executor(), url)).toMatchObject(REFUSED);
  });
});

describe('an allowlist without the host', () => {
  it.each(['', ' , '])('`%s` admits nothing', async (allowed) => {
    await using executor = await start(allowed);
    for (const url of INSIDE) expect(await ask(executor, url), url).toMatchObject(REFUSED);
  });

  it('admits no other spelling of it', async () => {
    await using executor = await start('elsewhere.test');
    for (const [url] of SPELLINGS) expect(await ask(executor, url), url).toMatchObject(REFUSED);
  });
});

const CANONICAL: [written: string, shown: string][] = [
  ['API.Test', 'api.test'],
  ['API.Test:080', 'api.test:80'],
  ['*.API.Test', '*.api.test'],
  ['BÜCHER.test:1', 'xn--bcher-kva.test:1'],
  ['*.bücher.test', '*.xn--bcher-kva.test'],
  ['2130706433', '127.0.0.1'],
  ['0x7f.1:80', '127.0.0.1:80'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['[::1]:80', '[::1]:80'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['FD00::1', 'fd00::1'],
  ['a.test:65535', 'a.test:65535'],
];

describe('an entry', () => {
  it.each(CANONICAL)('`%s` is kept and shown as `%s`', (written, shown) => {
    expect(readConfig({ HTTP_EXECUTOR_ALLOWED_HOSTS: ` ${written} ,` }).allowedHosts).toEqual([
      shown,
    ]);
  });
});

const MALFORMED = [
  'http://api.test',
  'api.test/path',
  'api.test?',
  'me@api.test',
  'api.test:',
  'api.test:0',
  'api.test:65536',
  'api.test:http',
  'api test',
  '*',
  '*.',
  '*.*.test',
  'api.*.test',
  '*.127.0.0.1',
  '*.[::1]',
  '256.0.0.1',
  '1.2.3.4.5',
  '127.0.0.1/8',
  '[::1',
  '::1]',
  '[::g]',
  '1:2:3',
  '[127.0.0.1]',
  'fe80::1%eth0',
  'api%2etest',
  'a<b.test',
];

describe('a malformed entry', () => {
  it.each(MALFORMED)('`%s` stops the start and is named', (entry) => {
    const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: `localhost,${entry}` };
    expect(() => readConfig(env)).toThrow(/^HTTP_EXECUTOR_ALLOWED_HOSTS=/);
    expect(() => readConfig(env)).toThrow(`\`${entry}\``);
  });

  it('is named next to every other one, with what is accepted', () => {
    const env = { HTTP_EXECUTOR_ALLOWED_HOSTS: 'a b,ok.test,http://c' };
    expect(() => readConfig(env)).toThrow(/`a b`.*`http:\/\/c`.*host:port/);
    expect(() => readConfig(env)).not.toThrow(/`ok\.test`/);
  });
});
