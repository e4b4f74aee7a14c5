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

/** Index of the destination that decides, or the criterion that refused. */
function outcomeOf(...asked: Parameters<typeof choose>): number | string {
  const choice = choose(...asked);
  return choice.kind === 'match' ? choice.destination.index : choice.by;
}

describe('a path pattern', () => {
  it.each([
    ['/user', ['/user', '/%75ser', '/user?x=/other'], ['/User', '/user/', '/users', '/', '/use']],
    [
      '/repos/*/issues',
      ['/repos/a/issues', '/repos/a.b/issues', '/repos/%C3%A9/issues'],
      ['/repos//issues', '/repos/a/b/issues', '/repos/issues'],
    ],
    ['/v*/x', ['/v1/x', '/v12/x'], ['/v/x', '/V1/x', '/v1/y']],
    ['/a*b*c', ['/aXbXc', '/abbbc', '/aXbcbXc'], ['/abc', '/aXbc', '/abXc', '/aXbX']],
    ['/ab*ba', ['/ab1ba', '/abbabba'], ['/aba', '/abba']],
    [
      '/search/**',
      ['/search/a', '/search/a/b', '/search/a/'],
      ['/search', '/search/', '/searching/a', '/Search/a'],
    ],
    ['/**', ['/a', '/a/b'], ['/']],
    ['/', ['/'], ['/a']],
    ['/caf\u00e9', ['/caf\u00e9', '/caf%c3%a9', '/caf%C3%A9'], ['/cafe']],
  ])('%s matches whole paths alone', (pattern, matched, others) => {
    const text = `destinations: [{ host: api.test, paths: ["${pattern}"] }]`;
    for (const path of matched) expect(outcomeOf(text, 'GET', path), path).toBe(0);
    for (const path of others) expect(outcomeOf(text, 'GET', path), path).toBe('path');
  });

  it.each([
    ...words('/a/../user /./user /user/. /user/.. /%2e%2e/user /%2E/user /a%2fuser'),
    ...words('/a%5Cuser //user /user// /user;x=1 /user%3bx /user%00 /user%0a /user%7f'),
    ...words('/user%C2%85 /user/%c0%ae%c0%ae /user/%e0%80%ae /user%25 /user% /user%zz'),
    ...words('/user%2 /user\\x'),
  ])('never matches %s, which servers read differently', (path) => {
    for (const pattern of ['/**', '/user', '/*/*', '/*']) {
      const text = `destinations: [{ host: api.test, paths: ["${pattern}"] }]`;
      expect(choose(text, 'GET', path)).toMatchObject({
        by: 'path',
        reason: expect.stringContaining('in more than one way'),
      });
    }
    expect(outcomeOf('destinations: [{ host: api.test }]', 'GET', path)).toBe(0);
  });

  it.each([
    ['user', 'must begin with `/`'],
    ['', 'must begin with `/`'],
    ['/a**', '`**` only as its last segment'],
    ['/**/a', '`**` only as its last segment'],
    ['/***', '`**` only as its last segment'],
    ['/a//b', 'must not contain `//`'],
    ['/a/../b', 'must not contain `//`'],
    ['/a%2Fb', 'must not contain `//`'],
    ['/a;b', 'must not contain `//`'],
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
    ['GET', '/user', undefined, 'caller'],
    ['GET', '/user', 'other', 'caller'],
    ['DELETE', '/user', 'planner', 'method'],
    ['GET', '/admin', 'planner', 'path'],
    ['DELETE', '/admin', undefined, 'path'],
  ])('%s %s by %s → %s', (method, path, caller, expected) => {
    expect(outcomeOf(FILE, method, path, caller)).toBe(expected);
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
    expect(chooseDestination(parseAllowlist([host]), asked).kind).toBe(
      allowed ? 'match' : 'refused',
    );
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
    ['destinations: [{ host: a.test, methods: [get] }]', 'must be one of GET, POST'],
    ['destinations: [{ host: a.test, path: [/a] }]', '/destinations/0/path is an unknown property'],
    [
      'destinations: [{ host: a.test, credential: x }]',
      '/destinations/0/credential must be the name of a credential',
    ],
    ['destinations: [{ host: a.test, per_minute: 0 }]', 'must be at least 1'],
    [
      'destinations: [{ host: a.test, client_cert_file: a.pem }]',
      'client_cert_file and client_key_file, or neither',
    ],
    [
      'destinations: []\ncredentials: { x: { type: beer } }',
      '2:16: /credentials/x must set `type` to one of these: bearer, basic, header',
    ],
    [
      'destinations: []\ncredentials: { x: { type: bearer } }',
      '/credentials/x/token_file is required',
    ],
    [
      'destinations: []\ncredentials: { x: { type: bearer, token_file: a, token: b } }',
      '/credentials/x/token is an unknown property',
    ],
    ...['Host', 'X_Real-IP', 'Metadata-Flavor'].map((name) => [
      `destinations: []\ncredentials: { x: { type: header, name: ${name}, value_file: a } }`,
      '/credentials/x/name must not be a header that the executor sets or refuses',
    ]),
    [
      'destinations: []\ncredentials: { x: { type: basic, username: "a:b", password_file: a } }',
      '/credentials/x/username must not contain a colon',
    ],
    [
      'destinations: []\ncredentials: { "a b": { type: bearer, token_file: a } }',
      '2:16: /credentials/a b is not a valid name; use 1 to 64 letters',
    ],
    ...[
      'http://id.test/token',
      'ftp://id.test/',
      'id.test',
      'https://u:p@id.test/',
      'https://id.test/#x',
    ].map((url) => [
      `destinations: []\ncredentials: { x: { type: oauth2_client_credentials, token_url: "${url}", client_id: a, client_secret_file: b } }`,
      '/credentials/x/token_url must be',
    ]),
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
    expect(
      read(`destinations:\n  - { host: ${first} }\n  - { host: ${second} }\n`).all,
    ).toHaveLength(2);
  });
});

const CREDENTIALS = `
credentials:
  one: { type: bearer, token_file: a }
  two: { type: bearer, token_file: b }
`;

describe('a change of the file', () => {
  const STRICT_FIRST = ['a.test, paths: [/a], per_minute: 1', 'a.test'];

  it.each<[name: string, before: string[], after: string[], looser: boolean]>([
    ['the same', ['a.test'], ['a.test'], false],
    ['a destination less', ['a.test', 'b.test'], ['b.test'], false],
    ['a destination more', ['a.test'], ['a.test', 'b.test'], true],
    ['a method less', ['a.test, methods: [GET, PUT]'], ['a.test, methods: [GET]'], false],
    ['a method more', ['a.test, methods: [GET]'], ['a.test, methods: [GET, PUT]'], true],
    ['paths where there were none', ['a.test'], ['a.test, paths: [/a]'], false],
    ['no paths any more', ['a.test, paths: [/a]'], ['a.test'], true],
    ['a lower limit', ['a.test, per_minute: 9'], ['a.test, per_minute: 8'], false],
    ['a higher limit', ['a.test, per_minute: 8'], ['a.test, per_minute: 9'], true],
    ['two parts', ['a.test'], ['a.test, paths: [/a]', 'a.test, paths: [/b]'], true],
    ['a limit in place of that of the host', ['a.test'], ['a.test, max_executions: 50'], true],
    ['the limit of the host', ['a.test, max_executions: 50'], ['a.test'], true],
    ['fewer executions', ['a.test, max_executions: 50'], ['a.test, max_executions: 49'], false],
    ['no limit any more', ['a.test, per_minute: 8'], ['a.test'], true],
    ['another credential', ['a.test, credential: one'], ['a.test, credential: two'], true],
    ['a credential more', ['a.test'], ['a.test, credential: two'], true],
    ['a stricter destination removed', STRICT_FIRST, ['a.test'], true],
    [
      'a stricter destination narrowed',
      ['a.test, paths: [/a, /b], per_minute: 1', 'a.test'],
      STRICT_FIRST,
      true,
    ],
  ])('with %s', (_name, before, after, looser) => {
    const readList = (hosts: string[]) =>
      read(`destinations: [${hosts.map((each) => `{ host: ${each} }`).join()}]${CREDENTIALS}`);
    expect(loosens(readList(before), readList(after))).toBe(looser);
  });

  it('loosens if a credential means something else', () => {
    const text = `destinations: [{ host: a.test, credential: one }]${CREDENTIALS}`;
    expect(loosens(read(text), read(text.replace('token_file: a', 'token_file: c')))).toBe(true);
  });
});
