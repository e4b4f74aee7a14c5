import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOfTests, run as runProgram } from './support/command.ts';

const { folder, fileOf } = filesOfTests();
const run = (...args: string[]) => runProgram('destinations', ...args);

// The credential and CA files do not exist, so a command that reads any of them would fail.
const FILE = fileOf(
  `destinations:
  - host: api.test
    methods: [GET]
    paths: ["/repos/acme/**"]
    callers: [bot]
    credential: api
    ca_file: missing.pem
    per_minute: 60
    max_executions: 2
  - host: "*.open.test"
credentials:
  api: { type: bearer, token_file: missing }
`,
);

describe('gatehouse destinations lint', () => {
  it('counts destinations and credentials', async () => {
    const out = `${FILE}: no errors in 2 destinations, 1 credential\n`;
    expect(await run('lint', FILE)).toEqual({ code: 0, out, err: '' });
    expect(JSON.parse((await run('lint', FILE, '--json')).out)).toEqual([
      { file: FILE, destinations: 2, credentials: 1, mistakes: [] },
    ]);
  });

  it('lists every mistake in every file with line and column', async () => {
    const bad = fileOf('destinations:\n  - host: a b\n    credential: none\n');
    const covered = fileOf('destinations:\n  - host: a\n  - host: a:443\n');
    const { code, out } = await run('lint', FILE, bad, covered, join(folder, 'none'));
    expect(code).toBe(1);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringContaining('no errors'),
      expect.stringContaining(`${bad}:2:5: /destinations/0/host must be host, host:port`),
      expect.stringContaining(`${bad}:3:5: /destinations/0/credential must be the name`),
      expect.stringContaining(
        `${covered}:3:5: /destinations/1 can never match, because the destination on line 2 `,
      ),
      `${join(folder, 'none')}: cannot be read (ENOENT)`,
    ]);
    const none = await run('lint', join(folder, 'none'), '--json');
    expect([none.code, JSON.parse(none.out)]).toMatchObject([
      2,
      [{ mistakes: [], reason: expect.stringContaining('ENOENT') }],
    ]);
    expect((await run('lint', '--help')).out).toContain('gatehouse destinations lint ');
  });
});

describe('gatehouse destinations try', () => {
  const tried = async (method: string, url: string, ...options: string[]) => {
    const { code, out } = await run('try', FILE, method, url, '--json', ...options);
    return { exit: code, ...JSON.parse(out) };
  };

  it('shows the destination and the credential of a request', async () => {
    expect(
      await run('try', FILE, 'get', 'https://api.test/repos/acme/a?b=/c', '-c', 'bot'),
    ).toEqual({
      code: 0,
      out: 'allowed by /destinations/0 on line 2: api.test, with the credential api, 60 per minute, 2 in flight\n',
      err: '',
    });
    expect(await tried('POST', 'http://a.open.test:81/x')).toEqual({
      exit: 0,
      allowed: true,
      destination: { index: 1, line: 10, host: '*.open.test' },
    });
  });

  const ISSUES = 'https://api.test/repos/acme/a';
  it.each([
    ['another host', 'GET', 'https://open.test/', 'The host `open.test` is not on the allowlist'],
    ['another spelling', 'GET', 'https://0x7f.1/', 'write the host as `127.0.0.1`'],
    ['another path', 'GET', 'https://api.test/user', 'allowed: `/repos/acme/**`.'],
    ['a dot segment', 'GET', 'https://api.test/repos/x/../acme/a', 'in more than one way'],
    ['another method', 'DELETE', ISSUES, 'allowed: `GET`.'],
    ['another caller', 'GET', ISSUES, 'allows the caller `eve` to make this request', 'eve'],
    ['http', 'GET', ISSUES.replace('https', 'http'), 'Use https'],
  ])('says why %s is refused', async (_, method, url, reason, caller = 'bot') => {
    expect(await tried(method, url, '-c', caller)).toEqual({
      exit: 1,
      allowed: false,
      code: 'DestinationNotAllowed',
      reason: expect.stringContaining(reason),
    });
  });

  it('says what is wrong with a URL, a method or a file', async () => {
    expect(await run('try', FILE, 'GET', 'https://a:b@api.test/')).toMatchObject({
      code: 1,
      out: 'refused as InvalidAction\n\nThe URL must not contain credentials; send them in a header.\n',
    });
    const fragment = await run('try', FILE, 'POST', 'https://a.open.test/?q=C#&limit=1');
    expect(fragment).toMatchObject({ code: 1, out: expect.stringContaining('write `%23`') });
    expect(await run('try', FILE, 'GOT', ISSUES)).toMatchObject({
      code: 2,
      err: expect.stringContaining('`GOT` is not one of GET, POST'),
    });
    expect(await run('try', join(folder, 'none'), 'GET', ISSUES)).toMatchObject({ code: 2 });
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('lint') });
  });
});
