import type { Method } from '@gatehouse/contracts';
import { fragmentViolation } from '@gatehouse/contracts/action';
import { describe, expect, it } from 'vitest';
import {
  chooseDestination,
  compareDestinations,
  listHosts,
  parseAllowlist,
  readDestinations,
} from '../../src/index.ts';

const words = (text: string) => text.split(' ');

const read = (text: string) => readDestinations(text, 'd.yaml');

function choose(text: string, method: Method, path: string, caller?: string) {
  const url = new URL(`https://api.test${path}`);
  const target = { url, writtenHost: 'api.test', writtenPath: path.replace(/[?#].*/, '') };
  return chooseDestination(read(text), { ...target, method, caller, listedIn: 'THE_FILE' });
}

/** Index of the destination that decides, or the reason for the refusal. */
function outcomeOf(...asked: Parameters<typeof choose>): number | string {
  const choice = choose(...asked);
  return choice.ok ? choice.value.index : choice.reason.text;
}

describe('a path pattern', () => {
  it.each([
    ['/user', '/user /%75ser /user?x=/other', '/User /user/ /users / /use'],
    ['/repos/*/x', '/repos/a/x /repos/a.b/x /repos/%C3%A9/x', '/repos//x /repos/a/b/x /repos/x'],
    ['/v*/x', '/v1/x /v12/x', '/v/x /V1/x /v1/y'],
    ['/a*b*c', '/aXbXc /abbbc /aXbcbXc', '/abc /aXbc /abXc /aXbX'],
    ['/ab*ba', '/ab1ba /abbabba', '/aba /abba'],
    ['/search/**', '/search/a /search/a/b /search/a/', '/search /search/ /searching/a /Search/a'],
    ['/**', '/a /a/b', '/'],
    ['/', '/', '/a'],
    ['/caf\u00e9', '/caf\u00e9 /caf%c3%a9 /caf%C3%A9', '/cafe'],
    ['/*', '/%f0%9f%8e%89 /%EF%BC%8F /%7E /%24%26 /%22 /%c2%a0', '/'],
  ])('%s matches whole paths alone', (pattern, matched, others) => {
    const text = `destinations: [{ host: api.test, paths: ["${pattern}"] }]`;
    for (const path of words(matched)) expect(outcomeOf(text, 'GET', path), path).toBe(0);
    for (const path of words(others))
      expect(outcomeOf(text, 'GET', path), path).toMatch(/the path/i);
  });

  it.each([
    ...words('/a/../user /./user /user/. /user/.. /%2e%2e/user /%2E/user /a%2fuser'),
    ...words('/a%5Cuser //user /user// /user;x=1 /user%3bx /user%00 /user%0a /user%7f'),
    ...words('/user%C2%85 /user/%c0%ae%c0%ae /user/%e0%80%ae /user%25 /user% /user%zz'),
    ...words('/user%2 /user\\x /user%3fx=1 /user%3F /user%23 /user%23x /user%2523'),
    ...words('/user%ff /user/%80 /user%c3 /user%c3x /user%ed%a0%80 /user%f4%90%80%80'),
    ...words('/user%e0%80%af /user%f0%80%80%af /user%f8%80%80%80%af /user%fc%80%80%80%80%af'),
  ])('never matches %s, which servers read differently', (path) => {
    for (const pattern of ['/**', '/user', '/*/*', '/*']) {
      const text = `destinations: [{ host: api.test, paths: ["${pattern}"] }]`;
      expect(outcomeOf(text, 'GET', path)).toContain('The path can be read in more than one way');
    }
    expect(outcomeOf('destinations: [{ host: api.test }]', 'GET', path)).toBe(0);
  });

  it.each([
    ['user', 'must begin with `/`'],
    ['', 'must begin with `/`'],
    ...['/a**', '/**/a', '/***'].map((each) => [each, '`**` only as its last segment']),
    ...words('/a//b /a/../b /a%2Fb /a;b').map((each) => [each, 'must not contain `//`']),
    ['/a?b', 'must not contain `?`'],
    ['/a b', 'must not contain `?`'],
  ])('%s is a mistake in the file', (pattern, message) => {
    const text = `destinations:\n  - host: api.test\n    paths:\n      - '${pattern}'\n`;
    expect(() => read(text)).toThrow('d.yaml:4:9: /destinations/0/paths/0 ');
    expect(() => read(text)).toThrow(message);
  });
});

const FILE = `
destinations:
  - { host: api.test, methods: [GET], paths: [/user, "/repos/**"], callers: [planner] }
  - { host: api.test, methods: [POST], paths: [/user] }
  - { host: "*.test", paths: [/health] }
`;

describe('the first destination that allows a request decides', () => {
  it.each<[Method, string, string | undefined, number | string]>([
    ['GET', '/user', 'planner', 0],
    ['POST', '/user', 'planner', 1],
    ['POST', '/user', undefined, 1],
    ['GET', '/health', undefined, 2],
    ['GET', '/user', undefined, 'callers without a name'],
    ['GET', '/user', 'other', 'the caller `other`'],
    ['DELETE', '/user', 'planner', 'DELETE for the path'],
    ['GET', '/admin', 'planner', 'the path `/admin`'],
    ['DELETE', '/admin', undefined, 'the path `/admin`'],
  ])('%s %s by %s → %s', (method, path, caller, expected) => {
    const refused = expect.stringContaining(`No destination for \`api.test\` allows ${expected}`);
    const outcome = typeof expected === 'number' ? expected : refused;
    expect(outcomeOf(FILE, method, path, caller)).toEqual(outcome);
  });

  it.each<[Method, string, string | undefined, string]>([
    ['GET', '/admin', 'planner', '`/user`, `/repos/**`, `/health`'],
    ['GET', '/admin', undefined, '`/user`, `/health`'],
    ['DELETE', '/user', 'planner', '`GET`, `POST`'],
    ['DELETE', '/user', undefined, '`POST`'],
  ])('the refusal of %s %s by %s lists only %s', (method, path, caller, allowed) => {
    expect(choose(FILE, method, path, caller)).toMatchObject({
      reason: { text: expect.stringContaining(`; allowed: ${allowed}.`) },
    });
  });

  it.each([
    ['https://api.test:8443/', 'api.test', true],
    ['https://api.test:8443/', 'api.test:8443', true],
    ['https://api.test/', 'api.test:443', true],
    ['http://api.test/', 'api.test:443', false],
    ['https://a.b.test/', '*.b.test', true],
    ['https://b.test/', '*.b.test', false],
    ['https://xb.test/', '*.b.test', false],
    ['https://b.test.evil.com/', 'b.test', false],
    ['https://b.test./', 'b.test', false],
    ['http://[::1]:80/', '::1', true],
    ['http://127.0.0.1/', '127.0.0.1', true],
  ])('%s with the host %s: %s', (text, host, allowed) => {
    const url = new URL(text);
    const target = { url, writtenHost: url.hostname, writtenPath: '/' };
    const asked = { ...target, method: 'GET', caller: undefined, listedIn: 'THE_HOSTS' } as const;
    const choice = chooseDestination(parseAllowlist([host]), asked);
    expect(choice.ok).toBe(allowed);
  });
});

describe('a mistake in the file is shown with its line and column', () => {
  it.each([
    ...['"a b"', 'a.test.', 'a..test', '"*..test"'].map((host) => [
      `destinations: [{ host: ${host} }]`,
      '1:18: /destinations/0/host must be host, host:port',
    ]),
    ...['methods', 'paths', 'callers'].map((list) => [
      `destinations: [{ host: a.test, ${list}: [] }]`,
      `1:32: /destinations/0/${list} must have at least 1 item`,
    ]),
    ...Object.entries({
      'methods: [get]': 'must be one of GET, POST',
      'path: [/a]': '/destinations/0/path is an unknown property',
      'credential: x': '/destinations/0/credential must be the name of a credential',
      'per_minute: 0': 'must be at least 1',
      'client_key_file: a.pem': 'client_cert_file and client_key_file, or neither',
      'client_cert_file: a.pem': 'client_cert_file and client_key_file, or neither',
    }).map(([member, message]) => [`destinations: [{ host: a.test, ${member} }]`, message]),
    ...[
      ['x: { type: beer }', '2:16: /credentials/x must set `type` to one of these: bearer, basic'],
      ['x: { type: bearer }', '/credentials/x/token_file is required'],
      ['x: { type: bearer, token_file: a, token: b }', '/x/token is an unknown property'],
      ...['Host', 'X_Real-IP', 'Metadata-Flavor'].map((name) => [
        `x: { type: header, name: ${name}, value_file: a }`,
        '/credentials/x/name must not be a header that the executor sets or refuses',
      ]),
      ['x: { type: basic, username: ":", password_file: a }', 'username must not contain a colon'],
      ['"a b": { type: bearer, token_file: a }', '2:16: /credentials/a b is not a valid name; use'],
      ...words(
        'http://id.test/token ftp://id.test/ id.test https://u:p@id.test/ https://id.test/#x',
      ).map((url) => [
        `x: { type: oauth2_client_credentials, token_url: "${url}", client_id: a, client_secret_file: b }`,
        '/credentials/x/token_url must be',
      ]),
      ...words('grant_type client_id client_secret scope audience resource').map((name) => [
        `x: { type: oauth2_client_credentials, token_url: "https://id.test/", client_id: a, client_secret_file: b, parameters: { ${name}: c } }`,
        `/credentials/x/parameters/${name} must not be set here`,
      ]),
      [
        'x: { type: oauth2_client_credentials, token_url: "https://id.test/", client_id: a, client_secret_file: b, parameters: { tenant: 1 } }',
        '/credentials/x/parameters/tenant must be a string',
      ],
    ].map(([each = '', message = '']) => [`destinations: []\ncredentials: { ${each} }`, message]),
    ['', 'must be an object'],
    ['credentials: {}', '/destinations is required'],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    ['a.test', 'a.test'],
    ['a.test', 'a.test:443'],
    ['a.test', 'a.test, methods: [GET], paths: [/a], callers: [x]'],
    ['a.test', 'a.test, credential: one'],
    ['a.test, credential: one', 'a.test, credential: two'],
    ['localhost, credential: one', 'localhost:8443'],
    ['"*.test"', '"*.test:443"'],
    ['a.test:443, paths: [/a, "/b/**"]', 'a.test:443, paths: [/a, "/b/**"], credential: one'],
    ['a.test, methods: [GET], callers: [x]', 'a.test, methods: [GET], callers: [x], per_minute: 1'],
  ])('%s hides %s', (first, second) => {
    const text = `destinations:\n  - { host: other.test }\n  - { host: ${first} }\n  - { host: ${second} }\n${CREDENTIALS}`;
    expect(() => read(text)).toThrow(
      'd.yaml:4:5: /destinations/2 can never match, because the destination on line 3 matches first',
    );
  });

  it.each([
    ['a.test:443', 'a.test'],
    ['a.test:443', 'a.test:444'],
    ['a.test, credential: one', 'a.test'],
    ['a.test, credential: one', 'a.test:443'],
    ['"*.test"', 'test'],
    ['a.test, methods: [GET]', 'a.test'],
    ['a.test, methods: [GET]', 'a.test, methods: [GET, POST]'],
    ['a.test, paths: ["/a/**"]', 'a.test, paths: [/a]'],
    ['a.test, methods: [GET], paths: [/a]', 'a.test, methods: [GET]'],
    ['a.test, callers: [x]', 'a.test, callers: [y]'],
  ])('%s does not hide %s', (first, second) => {
    const text = `destinations: [{ host: ${first} }, { host: ${second} }]${CREDENTIALS}`;
    expect(read(text).all).toHaveLength(2);
  });
});

const CREDENTIALS = `
credentials:
  one: { type: bearer, token_file: a }
  two: { type: bearer, token_file: b }
`;

describe('a change of the file', () => {
  const load = (text: string) => {
    const destinations = read(text);
    return { path: 'd.yaml', destinations, tls: new Map() };
  };
  const fileOf = (list: string) => {
    const items = list.split('; ').map((each) => each && `{ host: ${each} }`);
    return load(`destinations: [${items}]${CREDENTIALS}`);
  };

  it.each<[before: string, after: string, changes: string]>([
    ['a.test', 'a.test', '||'],
    ['a.test', 'A.test', '||a.test'],
    ['a.test; b.test', 'b.test', '|a.test|'],
    ['a.test', 'a.test; b.test', 'b.test||'],
    ['a.test', 'b.test:1', 'b.test:1|a.test|'],
    ['a.test, methods: [GET]', 'a.test, methods: [GET, PUT]', '||a.test'],
    ['a.test', 'a.test, credential: one', '||a.test'],
    ['a.test, paths: [/a]', 'a.test, paths: [/b]; a.test, paths: [/c]', 'a.test||a.test'],
    ['a.test, paths: [/a]; a.test', 'a.test', '|a.test|'],
    ['a.test; b.test; c.test', 'c.test; a.test', '|b.test|c.test a.test'],
  ])('from %s to %s lists %s', (before, after, changes) => {
    const [added, removed, changed] = changes
      .split('|')
      .map((list) => list.split(' ').filter(Boolean));
    const expected = { added, removed, changed };
    expect(compareDestinations(fileOf(before), fileOf(after))).toEqual(expected);
  });

  it('lists a destination whose credential or TLS files mean something else', () => {
    const text = `destinations: [{ host: a.test, credential: one }, { host: b.test }]${CREDENTIALS}`;
    const changed = ['a.test'];
    const nothing = { added: [], removed: [] };
    for (const [from, to, expected] of [
      ['token_file: a', 'token_file: c', changed],
      ['token_file: b', 'token_file: c', []],
    ] as const)
      expect(compareDestinations(load(text), load(text.replace(from, to)))).toEqual({
        ...nothing,
        changed: expected,
      });
    const withTls = (id: string) => {
      const file = load(text);
      const files = { id, ca: 'ca', identity: undefined };
      return {
        ...file,
        tls: new Map(file.destinations.all.slice(0, 1).map((each) => [each, files])),
      };
    };
    expect(compareDestinations(withTls('1'), withTls('1'))).toEqual({ ...nothing, changed: [] });
    expect(compareDestinations(withTls('1'), withTls('2'))).toEqual({ ...nothing, changed });
  });

  it.each([
    [20, 20, 'h19.test'],
    [21, 20, 'and 2 more'],
    [1_999, 20, 'and 1980 more'],
  ])('with %i new destinations lists %i, and ends with %s', (count, length, last) => {
    const hosts = Array.from({ length: count }, (_, index) => `h${index}.test`);
    const { added } = compareDestinations(
      fileOf('a.test'),
      fileOf(['a.test', ...hosts].join('; ')),
    );
    expect(added).toHaveLength(length);
    expect(added.at(-1)).toBe(last);
  });
});

describe('a destination with a credential and without a port', () => {
  const chosen = (host: string, url: string, member = 'credential: one', caller?: string) => {
    const target = new URL(url);
    const asked = { url: target, writtenHost: target.hostname, writtenPath: '/', caller };
    const destinations = read(`destinations: [{ host: ${host}, ${member} }]${CREDENTIALS}`);
    return chooseDestination(destinations, { ...asked, method: 'GET', listedIn: 'THE_FILE' });
  };

  it.each([
    ['a.test', 'https://a.test/'],
    ['a.test', 'https://a.test:443/'],
    ['a.test:8443', 'https://a.test:8443/'],
    ['"*.test"', 'https://a.test/'],
    ['localhost', 'http://localhost:8080/'],
    ['127.0.0.1', 'http://127.0.0.1:8080/'],
    ['"::1"', 'http://[::1]:8080/'],
  ])('%s allows %s', (host, url) => {
    expect(chosen(host, url)).toMatchObject({ ok: true });
  });

  it.each([
    ['a.test', 'https://a.test:8443/', '`a.test:8443`'],
    ['a.test', 'https://a.test:80/', '`a.test:80`'],
    ['"*.test"', 'https://a.test:444/', '`a.test:444`'],
  ])('%s refuses %s, and says why', (host, url, named) => {
    const text = expect.stringMatching(
      /covers the default port alone because it adds a credential;/,
    );
    expect(chosen(host, url)).toMatchObject({ ok: false, reason: { text } });
    expect(chosen(host, url)).toMatchObject({ reason: { text: expect.stringContaining(named) } });
    const hidden = chosen(host, url, 'credential: one, callers: [x]', 'y');
    expect(hidden).not.toMatchObject({ reason: { text } });
    expect(chosen(host, url, 'per_minute: 1')).toMatchObject({ ok: true });
  });
});

it('destinations on a host are tried in file order, whatever their patterns', () => {
  const list = ['"*.test"', 'a.b.test', '"*.b.test"', 'b.test', '"*.a.b.test"'];
  const hosts = (name: string) => {
    const restricted = list.map((host, index) => `{ host: ${host}, paths: ["/${index}"] }`);
    const all = read(`destinations: [${restricted}]`);
    const asked = { method: 'GET', caller: undefined, listedIn: 'THE_FILE' } as const;
    return list.flatMap((host, index) => {
      const url = new URL(`https://${name}/${index}`);
      const target = { url, writtenHost: name, writtenPath: url.pathname };
      return chooseDestination(all, { ...target, ...asked }).ok ? [host.replaceAll('"', '')] : [];
    });
  };
  expect(hosts('a.b.test')).toEqual(['*.test', 'a.b.test', '*.b.test']);
  expect(hosts('b.test')).toEqual(['*.test', 'b.test']);
  expect(hosts('x.a.b.test')).toEqual(['*.test', '*.b.test', '*.a.b.test']);
  expect(hosts('test')).toEqual([]);
  expect(hosts('.b.test')).toEqual(['*.test']);
  expect(listHosts(read(`destinations: [${list.map((host) => `{ host: ${host} }`)}]`).all)).toEqual(
    list.map((host) => host.replaceAll('"', '')),
  );
});

it('a path that many asterisks almost match is refused at once', () => {
  const text = `destinations: [{ host: api.test, paths: ["/${'*a'.repeat(1_000)}b"] }]`;
  const started = process.threadCpuUsage().user;
  expect(outcomeOf(text, 'GET', `/${'a'.repeat(8_000)}`)).toContain('the path');
  expect(process.threadCpuUsage().user - started).toBeLessThan(1_000_000);
});

describe('a URL with a fragment', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('is refused with %s', (method) => {
    for (const url of ['https://a.test/?q=C#&limit=1', 'https://a.test/#', 'https://a.test/#top'])
      expect(fragmentViolation(method, url)).toEqual({
        pointer: '/url',
        message: expect.stringMatching(/%23.*leave the fragment out/),
      });
    expect(fragmentViolation(method, 'https://a.test/?q=C%23&limit=1')).toBeUndefined();
  });

  it.each(['GET', 'HEAD', 'OPTIONS'] as const)('is accepted with %s', (method) => {
    expect(fragmentViolation(method, 'https://a.test/?q=C#&limit=1')).toBeUndefined();
  });
});
