import type { Method } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { chooseDestination, loosens, parseAllowlist, readDestinations } from '../src/index.ts';

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
  return 'destination' in choice ? choice.destination.index : choice.reason;
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
    ...words('/user%2 /user\\x'),
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
      reason: expect.stringContaining(`; allowed: ${allowed}.`),
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
    expect('destination' in choice).toBe(allowed);
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
    ].map(([each = '', message = '']) => [`destinations: []\ncredentials: { ${each} }`, message]),
    ['', 'must be an object'],
    ['credentials: {}', '/destinations is required'],
  ])('%s', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    ['a.test', 'a.test'],
    ['a.test', 'a.test:443'],
    ['"*.test"', 'a.test'],
    ['"*.test"', '"*.a.test"'],
    ['a.test, methods: [GET, POST]', 'a.test, methods: [POST]'],
    ['a.test, methods: [GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS]', 'a.test'],
    ['a.test, paths: ["/a/**"]', 'a.test, paths: [/a/b, "/a/*", "/a/b/**"]'],
    ['a.test, paths: ["/x*", "/*-a-*"]', 'a.test, paths: ["/xy*", "/*b-a-*c"]'],
    ['a.test, paths: ["/*/b"]', 'a.test, paths: [/a/b, "/*/b", "/x*/b"]'],
    ['"*.test:8443"', '"*.a.test:8443", paths: ["/a*b/**", "/%41/*"]'],
    ['"[::1]:80", paths: ["/**"]', '"[::1]:80", paths: ["/*", "/a/"]'],
    ['a.test, callers: [x, y]', 'a.test, callers: [y]'],
  ])('%s hides %s', (first, second) => {
    const text = `destinations:\n  - { host: other.test }\n  - { host: ${first} }\n  - { host: ${second} }\n`;
    expect(() => read(text)).toThrow(
      'd.yaml:4:5: /destinations/2 can never match, because the destination on line 3 matches first',
    );
  });

  it.each([
    ['a.test:443', 'a.test'],
    ['"*.test"', 'test'],
    ['"*.a.test"', '"*.test"'],
    ['a.test, methods: [GET]', 'a.test'],
    ['a.test, methods: [GET]', 'a.test, methods: [GET, POST]'],
    ['a.test, paths: ["/a/**"]', 'a.test, paths: [/a]'],
    ['a.test, paths: ["/a/**"]', 'a.test, paths: [/a/]'],
    ['a.test, paths: ["/a/**"]', 'a.test, paths: ["/**"]'],
    ['a.test, paths: ["/a/**"]', 'a.test'],
    ['a.test, paths: ["/*"]', 'a.test, paths: [/a/b]'],
    ['a.test, paths: ["/*"]', 'a.test, paths: [/]'],
    ['a.test, paths: ["/x*"]', 'a.test, paths: ["/*"]'],
    ['a.test, paths: ["/x*y"]', 'a.test, paths: ["/x*"]'],
    ['a.test, callers: [x]', 'a.test'],
  ])('%s does not hide %s', (first, second) => {
    const text = `destinations: [{ host: ${first} }, { host: ${second} }]`;
    expect(read(text).all).toHaveLength(2);
  });
});

const CREDENTIALS = `
credentials:
  one: { type: bearer, token_file: a }
  two: { type: bearer, token_file: b }
`;

describe('a change of the file', () => {
  it.each<[before: string, after: string, looser: boolean]>([
    ['a.test', 'a.test', false],
    ['a.test; b.test', 'b.test', false],
    ['a.test', 'a.test; b.test', true],
    ['a.test, methods: [GET, PUT]', 'a.test, methods: [GET]', false],
    ['a.test, methods: [GET]', 'a.test, methods: [GET, PUT]', true],
    ['a.test', 'a.test, paths: [/a]', false],
    ['a.test, paths: [/a]', 'a.test', true],
    ['a.test, per_minute: 9', 'a.test, per_minute: 8', false],
    ['a.test, per_minute: 8', 'a.test, per_minute: 9', true],
    ['a.test', 'a.test, paths: [/a]; a.test, paths: [/b]', true],
    ['a.test', 'a.test, max_executions: 50', true],
    ['a.test, max_executions: 50', 'a.test', true],
    ['a.test, max_executions: 50', 'a.test, max_executions: 49', false],
    ['a.test, per_minute: 8', 'a.test', true],
    ['a.test, credential: one', 'a.test, credential: two', true],
    ['a.test', 'a.test, credential: two', true],
    ['a.test, paths: [/a], per_minute: 1; a.test', '', false],
    ['a.test, paths: [/a], per_minute: 1; a.test', 'a.test', true],
    ['a.test, paths: [/a, /b]; a.test', 'a.test, paths: [/a]; a.test', true],
    ['a.test, paths: [/a, "/*/x"]; a.test, paths: [/b]', 'a.test, paths: [/b]', true],
    ['a.test, paths: [/a, /a/x]; a.test, paths: [/b]', 'a.test, paths: [/b]', false],
    ['a.test, methods: [GET]; a.test, methods: [PUT]', 'a.test, methods: [PUT]', false],
    ['a.test, callers: [x]; a.test, callers: [y]', 'a.test, callers: [y]', false],
    ['a.test:1; a.test:2', 'a.test:2', false],
    ['a.test:1; a.test', 'a.test', true],
    ['a.test, paths: [/a]; a.test', 'a.test, paths: [/a], per_minute: 1; a.test', false],
  ])('from %s to %s allows more: %s', (before, after, looser) => {
    const readList = (list: string) => {
      const items = list.split('; ').map((each) => each && `{ host: ${each} }`);
      return read(`destinations: [${items}]${CREDENTIALS}`);
    };
    expect(loosens(readList(before), readList(after))).toBe(looser);
  });

  it.each<[name: string, path: (i: number, j: number) => string]>([
    ['share all but one', (i, j) => (j < 999 ? `/r/${j}` : `/u${i}`)],
    ['share none', (i, j) => `/p${i}/${j}`],
  ])('of 30 destinations whose 1,000 paths %s takes less than 2 s of CPU time', (_name, path) => {
    const lists = Array.from({ length: 30 }, (_, i) =>
      Array.from({ length: 1_000 }, (_each, j) => path(i, j)),
    );
    const readFrom = (first: number) => {
      const destinations = lists.map((each) => ({ host: 'a.test', paths: each.slice(first) }));
      return read(JSON.stringify({ destinations }));
    };
    const before = process.threadCpuUsage();
    expect(loosens(readFrom(0), readFrom(1))).toBe(true);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('loosens if a credential means something else', () => {
    const text = `destinations: [{ host: a.test, credential: one }]${CREDENTIALS}`;
    expect(loosens(read(text), read(text.replace('token_file: a', 'token_file: c')))).toBe(true);
  });
});
