import { type Handler, reply, type Script, selfSigned, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startWithDestinations, startWithUpstream } from '../support/destinations.ts';
import { LOCAL_NAMES } from '../support/executor.ts';

const TOKEN = 'tok_4f9c1e7a2b8d6035aabb';

const FILE = (port: number) => `
destinations:
  - host: localhost:${port}
    methods: [GET]
    paths: ["/repos/*/issues", "/from/**"]
    callers: [planner]
    credential: github
  - { host: "localhost:${port}", paths: ["/open", "/open/**"] }
  - { host: "*.test:${port}", paths: ["/to"], credential: shop }
credentials:
  github: { type: bearer, token_file: github }
  shop: { type: header, name: X-Api-Key, value_file: shop }
`;

async function start(script: Script = {}) {
  const filesFor = (port: number) => ({
    'destinations.yaml': FILE(port),
    github: `${TOKEN}\n`,
    shop: 'shop-key-0123456789',
  });
  const started = await startWithUpstream(script, filesFor, LOCAL_NAMES);
  const { port } = started.upstream;
  return {
    ...started,
    port,
    get: (path: string, headers?: object) => ({
      method: 'GET',
      url: `http://localhost:${port}${path}`,
      ...(headers && { headers }),
    }),
  };
}

/** Destinations for redirects; they allow every port and scheme. */
const HOPS = {
  'destinations.yaml': `
destinations:
  - { host: localhost, paths: [/from, /same], credential: one }
  - { host: localhost, paths: [/shared], credential: one }
  - { host: localhost, paths: [/other], credential: two }
  - { host: localhost, paths: [/open] }
  - { host: 127.0.0.1, credential: one }
credentials:
  one: { type: bearer, token_file: one }
  two: { type: bearer, token_file: two }
`,
  one: 'one-secret-0123456789',
  two: 'two-secret-0123456789',
};

const CERTIFICATE = await selfSigned('localhost');

const PLANNER = { caller: 'planner' };

describe('a request to a destination', () => {
  it('carries the credential, of which no part comes back', async () => {
    await using test = await start(({ headers }, response) =>
      reply(response, {
        headers: { 'x-echo': String(headers.authorization), 'set-cookie': 'session=abcdefgh' },
        body: {
          literal: headers.authorization,
          base64: Buffer.from(TOKEN).toString('base64'),
          percent: encodeURIComponent(`Bearer ${TOKEN}`),
        },
      }),
    );
    const outcome = await test.executor.outcome(test.get('/repos/a/issues'), PLANNER);
    expect(test.upstream.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    expect(JSON.stringify(outcome)).not.toContain(Buffer.from(TOKEN).toString('base64'));
    expect(outcome.headers['set-cookie']).toBe('REDACTED');
    expect(outcome.redactions).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ['another host', 'http://localhost.evil.test:PORT/to/x', 'path'],
    ['a look-alike host', 'http://localhost.evil.com:PORT/repos/a/issues', 'host'],
    ['a trailing dot', 'http://localhost.:PORT/open', 'canonical'],
    ['another port', 'http://localhost:1234/open', 'host'],
    ['a loopback address for the name', 'http://127.0.0.1:PORT/open', 'host'],
    ['dot segments', 'http://localhost:PORT/open/../admin', 'more than one way'],
    ['dot segments to an allowed path', 'http://localhost:PORT/x/../open', 'more than one way'],
    ['escaped dot segments', 'http://localhost:PORT/open/%2e%2e/admin', 'more than one way'],
    ['an escaped slash', 'http://localhost:PORT/open%2fadmin', 'more than one way'],
    ['a missing segment boundary', 'http://localhost:PORT/openadmin', 'allows the path'],
  ])('is refused for %s', async (_name, url, reason) => {
    await using test = await start();
    const action = { method: 'GET', url: url.replace('PORT', String(test.port)) };
    const { code, message } = await test.executor.refusal(action, PLANNER);
    expect(code).toBe('DestinationNotAllowed');
    expect(message).toContain(reason);
    expect(test.upstream.requests).toEqual([]);
  });

  it.each(['/open\\..\\admin', '/open/\u0000'])('is malformed with %j', async (path) => {
    await using test = await start();
    expect(await test.executor.refusal(test.get(path), PLANNER)).toMatchObject({
      code: 'InvalidAction',
    });
  });

  it('is refused to other callers and methods, without their entries', async () => {
    await using test = await start();
    const { executor, get } = test;
    const other = await executor.refusal(get('/repos/a/issues'), { caller: 'other' });
    expect(other.message).toContain('the caller `other`');
    const nobody = await executor.refusal(get('/repos/a/issues'));
    expect(nobody.message).toContain('callers without a name');
    const path = await executor.refusal(get('/admin'), { caller: 'other' });
    expect(path.message).toContain('allowed: `/open`, `/open/**`');
    expect(path.message).not.toContain('repos');
    const method = await executor.refusal({ ...get('/repos/a/issues'), method: 'DELETE' }, PLANNER);
    expect(method.message).toMatch(/allows DELETE for the path .* allowed: `GET`/);
    expect(test.upstream.requests).toEqual([]);
  });

  it('may carry other credentials in its headers', async () => {
    await using test = await start();
    await test.executor.outcome(test.get('/repos/a/issues', { 'x-api-key': 'mine' }), PLANNER);
    expect(test.upstream.requests[0]?.headers).toMatchObject({
      'x-api-key': 'mine',
      authorization: `Bearer ${TOKEN}`,
    });
  });

  it.each(['x-http-method-override', 'X-HTTP-Method', 'x-method-override'])(
    'may not change its method by %s',
    async (name) => {
      await using test = await start();
      const action = test.get('/repos/a/issues', { [name]: 'DELETE' });
      expect(await test.executor.refusal(action, PLANNER)).toMatchObject({ code: 'InvalidAction' });
    },
  );

  it('needs https for its credential, except on loopback', async () => {
    await using test = await start();
    const action = { method: 'GET', url: `http://api.test:${test.port}/to` };
    const { code, message } = await test.executor.refusal(action);
    expect([code, message]).toEqual([
      'DestinationNotAllowed',
      expect.stringContaining('Use https'),
    ]);
  });
});

describe('a redirect', () => {
  const redirecting =
    (locations: Readonly<Record<string, string>>): Handler =>
    ({ url, headers }, response) => {
      const location = locations[url]?.replace('PORT', String(headers.host).split(':')[1] ?? '');
      reply(response, location === undefined ? {} : { status: 302, headers: { location } });
    };

  it.each([
    ['PLAIN/from', '/same', 'one one'],
    ['PLAIN/from', 'PLAIN/from?page=2', 'one one'],
    ['PLAIN/from', '/other', 'one none'],
    ['PLAIN/from', '/shared', 'one none'],
    ['PLAIN/from', '/open', 'one none'],
    ['PLAIN/from', 'LOOPBACK/same', 'one none'],
    ['PLAIN/from', 'TLS/same', 'one none'],
    ['PLAIN/open', '/from', 'none none'],
    ['PLAIN/open', '/open?page=2', 'none none'],
    ['PLAIN/open', 'TLS/open', 'none none'],
    ['TLS/from', '/same', 'one one'],
    ['TLS/from', '/open', 'one none'],
    ['TLS/from', 'PLAIN/same', 'one'],
    ['TLS/open', 'PLAIN/open', 'none'],
    ['PLAIN/from', '/elsewhere', 'one'],
    ['PLAIN/open', '/elsewhere', 'none'],
  ])('from %s to %s sends the credentials: %s', async (from, to, expected) => {
    const sent: string[] = [];
    const origins: Record<string, string> = {};
    const urlOf = (text: string) => text.replace(/^[A-Z]+/, (name) => origins[name] ?? '');
    const handler: Handler = ({ headers }, response) => {
      sent.push((headers.authorization ?? 'none').replace(/^Bearer (\w+)-.*/, '$1'));
      const moved = { status: 302, headers: { location: urlOf(to) } };
      reply(response, sent.length === 1 ? moved : {});
    };
    await using plain = await startUpstream(handler);
    await using tls = await startUpstream(handler, CERTIFICATE);
    origins.LOOPBACK = plain.origin;
    origins.PLAIN = `http://localhost:${plain.port}`;
    origins.TLS = tls.origin;
    await using executor = startWithDestinations(HOPS, { upstreamCa: CERTIFICATE.cert });
    await executor.outcome({ method: 'GET', url: urlOf(from) });
    expect(sent.join(' ')).toBe(expected);
  });

  it('into another destination, and back, loses the credential', async () => {
    const locations = { '/from/a': '/open', '/open': '/from/b', '/from/b': '/from/c' };
    await using test = await start(redirecting(locations));
    await test.executor.outcome(test.get('/from/a'), PLANNER);
    const sent = test.upstream.requests.map(({ headers }) => headers.authorization !== undefined);
    expect(sent).toEqual([true, false, false, false]);
  });

  it.each([
    ['a path that no destination allows', '/admin', 'allows the path'],
    ['dot segments', '/from/../open', 'more than one way'],
    ['relative dot segments', '../open', 'more than one way'],
    ['a host that no destination allows', 'http://127.0.0.1:PORT/open', 'host'],
    ['a destination that needs https', 'http://api.test:PORT/to', 'Use https'],
  ])('to %s is not followed', async (_name, location, reason) => {
    await using test = await start(redirecting({ '/from/a': location }));
    const outcome = await test.executor.outcome(test.get('/from/a'), PLANNER);
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 302 });
    expect(outcome.message).toContain(reason);
    expect(test.upstream.requests).toHaveLength(1);
  });
});

describe('a secret file', () => {
  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    [' \n', 'is empty'],
    ['a\r\nb', 'contains the control or invisible character U+000D'],
    ['a\n\n', 'invisible character U+000A'],
    ['a\0b', 'invisible character U+0000'],
    ['a\u007f', 'invisible character U+007F'],
    ['a\u0085', 'invisible character U+0085'],
    ['\ufeff\ufeffa', 'invisible character U+FEFF'],
    ['a\ufeff', 'invisible character U+FEFF'],
    ['a\u200b', 'invisible character U+200B'],
    ['a\u00adb', 'invisible character U+00AD'],
    ['a\u00a0b', 'invisible character U+00A0'],
    ['a\u2028b', 'invisible character U+2028'],
    ['a\u3164', 'invisible character U+3164'],
    ['a\u{e0041}', 'invisible character U+E0041'],
    ['\ufeff', 'is empty'],
    ['x'.repeat(8_193), 'has more than 8192 characters'],
  ])('with %j makes its credential unavailable', async (content, reason) => {
    await using test = await start();
    test.executor.write('github', content);
    const { code, message } = await test.executor.refusal(test.get('/repos/a/issues'), PLANNER);
    expect([code, message]).toEqual(['CredentialUnavailable', expect.stringContaining(reason)]);
    expect(test.upstream.requests).toEqual([]);
    expect((await test.executor.outcome(test.get('/open'))).outcome).toBe('success');
    expect(test.executor.inspectSecrets().errors).toHaveLength(1);
  });

  const MARK = '\ufeff';
  it.each([
    ...['a', 'a\n', 'a\r\n', 'x'.repeat(8_192), 'pässword', 'pass word', '日本 语'],
    ...[`${MARK}a`, `${MARK}${'x'.repeat(8_192)}\r\n`, `${MARK}${'日'.repeat(8_192)}\n`],
  ])('may hold %j', async (content) => {
    await using test = await start();
    test.executor.write('github', content);
    await test.executor.outcome(test.get('/repos/a/issues'), PLANNER);
    const sent = Buffer.from(String(test.upstream.requests[0]?.headers.authorization), 'latin1');
    expect(sent.toString()).toBe(`Bearer ${content.trim()}`);
  });

  it.each([
    ['shortxx', [expect.stringContaining('`github` has fewer than 8 characters')]],
    ['longer-x', []],
    ['Bearer abcdefgh', [expect.stringContaining('`github` begins with `Bearer `')]],
    ['bearer abcdefgh', [expect.stringContaining('`github` begins with `Bearer `')]],
    ['Bearerabcdefgh', []],
  ])(
    'like %j gets a warning if it is too short to redact, or repeats the scheme',
    async (content, warnings) => {
      await using test = await start();
      test.executor.write('github', content);
      expect(test.executor.inspectSecrets()).toEqual({ errors: [], warnings });
    },
  );

  it('gets a warning if no destination uses its credential', async () => {
    await using test = await start();
    test.executor.write('destinations.yaml', FILE(test.port).replace(', credential: shop', ''));
    expect(test.executor.inspectSecrets().warnings).toEqual([
      'no destination uses the credential `shop`; name it in a destination, or remove it',
    ]);
  });

  it('is read again for each execution', async () => {
    await using test = await start();
    for (const secret of ['first-secret', 'second-secret']) {
      test.executor.write('github', secret);
      await test.executor.outcome(test.get('/repos/a/issues'), PLANNER);
      expect(test.upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    }
  });
});

it('an execution keeps the destinations with which it began', async () => {
  const released = Promise.withResolvers<void>();
  let calls = 0;
  await using test = await start(async (_request, response) => {
    calls += 1;
    if (calls === 1) await released.promise;
    reply(response, { status: calls === 1 ? 503 : 200 });
  });
  const running = test.executor.outcome(test.get('/repos/a/issues'), PLANNER);
  await expect.poll(() => calls).toBe(1);
  test.executor.write('destinations.yaml', 'destinations: []');
  test.executor.reload();
  released.resolve();
  expect(await running).toMatchObject({ outcome: 'success', attempts: 2 });
  expect(test.upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${TOKEN}`,
    `Bearer ${TOKEN}`,
  ]);
  const { code } = await test.executor.refusal(test.get('/repos/a/issues'), PLANNER);
  expect(code).toBe('DestinationNotAllowed');
});

it('a dry run names the destination and the credential, and reads no secret', async () => {
  await using test = await start();
  test.executor.write('github', '');
  expect(await test.executor.dryRun(test.get('/repos/a/issues'), PLANNER)).toMatchObject({
    would_send: true,
    destination: { index: 0, host: `localhost:${test.port}`, credential: 'github' },
  });
});
