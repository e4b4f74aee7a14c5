import { gzipSync } from 'node:zlib';
import { type Handler, type Reply, reply, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startWithUpstream } from '../support/destinations.ts';
import { LOCAL_NAMES, type Setup } from '../support/executor.ts';

// Callers who want to learn a credential of the executor, with an upstream that echoes it.

/** Two secrets. If a caller sees a difference between them, the caller learns something. */
const SECRETS = ['q7Xt-92xLm_Zk41vPw', 'Hn5-uYb38sQj_w60gVo1'] as const;

const CREDENTIALS = `
credentials:
  bearer: { type: bearer, token_file: secret }
  basic: { type: basic, username: svc, password_file: secret }
  cookie: { type: header, name: Cookie, value_file: secret }
`;

type Answer = (secret: string, accept: string) => Reply;

/** Starts an upstream that knows the secret, and an executor that sends it as a credential. */
async function start(secret: string, answer: Answer, type = 'bearer', setup: Setup = {}) {
  const script: Handler = ({ headers }, response) => {
    response.sendDate = false;
    reply(response, answer(secret, String(headers.accept)));
  };
  const filesFor = (port: number) => ({
    'destinations.yaml': `destinations: [{ host: "localhost:${port}", credential: ${type} }]${CREDENTIALS}`,
    secret,
  });
  const started = await startWithUpstream(script, filesFor, setup);
  const { upstream, executor } = started;
  const text = (action: object) =>
    executor.text({ method: 'GET', url: `http://localhost:${upstream.port}/`, ...action });
  return { ...started, text };
}

/** Returns a function that sends an action to two upstreams that differ only in the secret. */
async function startBoth(answer: Answer) {
  const [one, other] = await Promise.all([start(SECRETS[0], answer), start(SECRETS[1], answer)]);
  return {
    /** Returns the outcome of an action, which must not depend on the secret. */
    same: async (action: object) => {
      const [first, second] = await Promise.all([one.text(action), other.text(action)]);
      expect(first, JSON.stringify(action)).toBe(second);
      return JSON.parse(first);
    },
    [Symbol.asyncDispose]: async () => {
      await one[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

const KNOWN = ['API key provided: ', '. Try again.'] as const;
const echoIn = (secret: string) => `Invalid ${KNOWN[0]}${secret}${KNOWN[1]}`;
const asText = { response_type: 'text' };

/** Guesses that are right for one of the secrets, and wrong for the other. */
const GUESSES = SECRETS.flatMap((secret) => [
  secret,
  btoa(secret),
  `Bearer ${secret}`,
  ...[1, 2, 10].map((length) => KNOWN[0] + secret.slice(0, length)),
  ...[1, 2, 10].map((length) => secret.slice(-length) + KNOWN[1]),
  ...[8, 10].map((length) => secret.slice(0, length)),
  secret.slice(4, -4),
  echoIn(secret),
]);

describe('a caller that sends guesses as its own secrets', () => {
  it.each<[name: string, answer: (echo: string) => Reply, action?: object]>([
    ['JSON', (echo) => ({ body: { error: echo } })],
    ['the name of a member', (echo) => ({ body: { [echo]: 1 } })],
    ['text', (echo) => ({ body: echo }), asText],
    ['an error page', (echo) => ({ status: 401, body: echo })],
    ['an excerpt', (echo) => ({ body: echo })],
    ['bytes', (echo) => ({ body: echo }), { response_type: 'base64' }],
    ['a header', (echo) => ({ headers: { 'x-error': echo } })],
    ['a location', (echo) => ({ status: 302, headers: { location: `http://x.test/${echo}` } })],
    ['UTF-16', (echo) => utf16('utf-16le', echo), asText],
  ])('does not learn from %s which one is right', async (_name, answer, action) => {
    await using both = await startBoth((secret) => answer(echoIn(secret)));
    for (const guess of ['not-a-guess', ...GUESSES]) {
      const outcome = await both.same({ ...action, headers: { 'x-api-key': guess } });
      expect(outcome.redactions).toBeGreaterThan(0);
    }
  });

  it.each<[name: string, write: (secret: string) => Reply, action?: object]>([
    ['JSON', (secret) => ({ body: Array(6_000).fill(secret) })],
    ['text', (secret) => ({ body: `${secret} `.repeat(6_000) }), asText],
    ['JSON with too many echoes', (secret) => ({ body: Array(10_001).fill(secret) })],
  ])('does not learn it from the limit on echoes in %s', async (_name, write, action) => {
    await using both = await startBoth(write);
    const guesses = SECRETS.flatMap((secret) => [secret, secret.slice(0, 8), secret.slice(-8)]);
    for (const guess of guesses) {
      const headers = { 'x-api-key': guess, 'x-auth-token': `${guess}`.repeat(100) };
      await both.same({ ...action, headers });
    }
  });

  it('does not learn it from long guesses that begin like an echo', async () => {
    await using both = await startBoth((secret) => ({ body: Array(4).fill(echoIn(secret)) }));
    for (const secret of SECRETS) {
      // A search may compare 16 bytes first, and the rest of the guess only if these match.
      const beginning = (KNOWN[0] + secret.slice(0, 2)).slice(-16);
      const guesses = [7_000, 7_001, 7_002, 7_003].map((length) => beginning.padEnd(length, 'x'));
      const headers = Object.fromEntries(guesses.map((guess, n) => [`x-api-key-${n}`, guess]));
      expect(await both.same({ headers })).toMatchObject({ outcome: 'success', redactions: 4 });
    }
  });
});

describe('a caller that sends a response schema', () => {
  it('does not learn from its verdict', async () => {
    await using both = await startBoth((secret) => ({ body: { you: `Bearer ${secret}` } }));
    const schemas = SECRETS.flatMap((secret) => [
      { pattern: `^Bearer ${secret[0]}` },
      { pattern: `${secret.at(-1)}$` },
      { const: `Bearer ${secret}` },
      { not: { const: `Bearer ${secret}` } },
      { enum: [1, `Bearer ${secret}`] },
      { maxLength: `Bearer ${secret}`.length },
      { not: { minLength: `Bearer ${secret}`.length } },
    ]);
    for (const you of schemas) await both.same({ response_schema: { properties: { you } } });
    const { outcome } = await both.same({
      response_schema: { properties: { you: { const: 'Bearer REDACTED' } } },
    });
    expect(outcome).toBe('success');
  });
});

describe('the size of a compressed answer', () => {
  it.each(['GET', 'HEAD', 'POST'])('is not shown after %s', async (method) => {
    await using both = await startBoth((secret) => {
      const body = gzipSync(JSON.stringify({ you: secret }));
      return {
        headers: {
          'content-encoding': 'gzip',
          'content-length': body.length,
          'content-type': 'application/json',
        },
        body,
      };
    });
    const { headers } = await both.same({ method });
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('content-length');
  });
});

function utf16(label: string, text: string): Reply {
  const bytes = Buffer.from(text, 'utf16le');
  const body = label === 'utf-16be' ? bytes.swap16() : bytes;
  return { headers: { 'content-type': `text/plain;charset=${label}` }, body };
}

function inCharset(charset: string, body: string | Buffer): Reply {
  return { headers: { 'content-type': `text/plain;charset=${charset}` }, body };
}

/** Reads text as a caller could, who tries to undo what the executor did. */
function readingsOf(text: string): string[] {
  const bytes = [Buffer.from(text, 'base64'), Buffer.from(text, 'utf16le'), Buffer.from(text)];
  const swapped = bytes.map((each) => Buffer.from(each.subarray(0, each.length & ~1)).swap16());
  const all = [...bytes, ...swapped, Buffer.from(text, 'latin1')];
  const encodings = ['utf8', 'latin1', 'utf16le'] as const;
  const read = all.flatMap((each) => encodings.map((encoding) => each.toString(encoding)));
  return [text, ...read].flatMap((each) => [each, each.replaceAll('\0', '')]);
}

/** Fails if any reading of a body contains a part of the secret. */
function expectNothingOf(secret: string, body: unknown): void {
  const readings = readingsOf(typeof body === 'string' ? body : JSON.stringify(body ?? null));
  const parts = Array.from(secret).map((_, at) => secret.slice(at, at + 5));
  const found = parts.filter(
    (part) => part.length === 5 && readings.some((reading) => reading.includes(part)),
  );
  expect(found).toEqual([]);
}

const UMLAUTS = 'grüße-für-Zoë-4711';

describe('nothing of a credential is shown', () => {
  it.each<[name: string, secret: string, answer: Answer]>([
    [
      'ASCII that claims to be UTF-16',
      SECRETS[0],
      (secret) => inCharset('utf-16le', `${secret}!!`),
    ],
    ['an odd number of such bytes', SECRETS[0], (secret) => inCharset('utf-16le', `${secret}!`)],
    ['UTF-8 that claims to be latin1', UMLAUTS, (secret) => inCharset('iso-8859-1', secret)],
    ['latin1', UMLAUTS, (secret) => inCharset('iso-8859-1', Buffer.from(secret, 'latin1'))],
    ['latin1 without a label', UMLAUTS, (secret) => ({ body: Buffer.from(secret, 'latin1') })],
    ['UTF-16', SECRETS[0], (secret) => utf16('utf-16le', secret)],
    ['UTF-16, the other way around', SECRETS[0], (secret) => utf16('utf-16be', secret)],
    ['UTF-16 with umlauts', UMLAUTS, (secret) => utf16('utf-16le', secret)],
    ['UTF-16 by its mark alone', SECRETS[0], (secret) => utf16('none', `\ufeff${secret}`)],
    ['an unknown charset', UMLAUTS, (secret) => inCharset('utf8mb4', secret)],
  ])('by %s', async (_name, secret, answer) => {
    await using test = await start(secret, answer);
    for (const response_type of ['text', 'base64', 'auto', 'json']) {
      const { body } = JSON.parse(await test.text({ response_type }));
      expectNothingOf(secret, body);
    }
  });

  it.each([
    'text/plain;charset=utf-32',
    'text/plain; charset=utf-32',
    'text/plain; q=1 ;Charset = "utf-32", */*',
    'text/plain;char;charset=""set=utf-32',
  ])('in the charset of the header `accept: %s`', async (accept) => {
    const [secret] = SECRETS;
    const inUtf32 = Buffer.from(Array.from(secret, (each) => `${each}\0\0\0`).join(''));
    await using test = await start(secret, (_secret, accepted) =>
      /charset/i.test(accepted) ? inCharset('utf-32', inUtf32) : inCharset('utf-8', secret),
    );
    for (const response_type of ['text', 'base64']) {
      const { body } = JSON.parse(await test.text({ response_type, headers: { accept } }));
      expectNothingOf(secret, body);
    }
    expect(test.upstream.requests[0]?.headers.accept).toMatch(/^text\/plain/);
  });

  it('by cookies that the upstream has parsed', async () => {
    const cookies = 'view=solarized-dark; sid="quoted-s1d"; user=s%3Afw1h%2Fxk2';
    const parsed = { view: 'solarized-dark', sid: 'quoted-s1d', user: 's:fw1h/xk2' };
    const answer = () => ({ body: { parsed, raw: cookies }, headers: { 'x-user': parsed.user } });
    await using test = await start(cookies, answer, 'cookie');
    const { body, headers } = JSON.parse(await test.text({}));
    const hidden = { view: 'REDACTED', sid: 'REDACTED', user: 'REDACTED' };
    expect(body).toEqual({ parsed: hidden, raw: 'REDACTED' });
    expect(headers['x-user']).toBe('REDACTED');
  });

  it('by a Basic login in another variant of base64', async () => {
    const password = 'p>ss?wörd~12';
    const login = Buffer.from(`svc:${password}`);
    const variants = [
      login.toString('base64'),
      login.toString('base64').replace(/=+$/, ''),
      login.toString('base64url'),
      encodeURIComponent(login.toString('base64')),
      Buffer.from(`Basic ${login.toString('base64')}`).toString('base64url'),
      login.toString(),
      password,
    ];
    expect(new Set(variants).size).toBe(variants.length);
    await using test = await start(password, () => ({ body: variants }), 'basic');
    const { body } = JSON.parse(await test.text({}));
    for (const shown of body) expect(shown).toMatch(/^(?:svc:)?REDACTED(?:=|%3D)*$/);
  });
});

describe('a page that is read without a credential', () => {
  const FILE = (port: number, tokenUrl: string) => `
destinations:
  - { host: "localhost:${port}", paths: [/mine], credential: token }
  - { host: "localhost:${port}", paths: [/other], callers: [other], credential: bearer }
  - { host: "localhost:${port}", paths: [/page] }
credentials:
  bearer: { type: bearer, token_file: secret }
  token: { type: oauth2_client_credentials, token_url: "${tokenUrl}", client_id: me, client_secret_file: client }
`;

  it('does not show those of the other destinations on its host', async () => {
    const token = 'issued-token-0123456789';
    await using endpoint = await startUpstream({
      body: { access_token: token, token_type: 'Bearer' },
    });
    await using test = await startWithUpstream(
      { body: { last: [`Bearer ${SECRETS[0]}`, token] } },
      (port) => ({
        'destinations.yaml': FILE(port, `${endpoint.origin}/token`),
        secret: SECRETS[0],
        client: 'client-secret-0123',
      }),
    );
    const get = async (path: string) => {
      const url = `http://localhost:${test.upstream.port}${path}`;
      return test.executor.outcome({ method: 'GET', url });
    };
    const hidden = { last: ['Bearer REDACTED', 'REDACTED'] };
    expect(await get('/mine')).toMatchObject({ body: hidden });
    expect(await get('/page')).toMatchObject({ body: hidden });
    const sent = test.upstream.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${token}`, undefined]);
  });
});

describe('a redirect to another origin', () => {
  const FILE = (port: number) => `
destinations:
  - { host: "localhost:${port}", credential: bearer }
  - { host: "127.0.0.1:${port}", credential: other }
credentials:
  bearer: { type: bearer, token_file: secret }
  other: { type: bearer, token_file: other }
`;
  const OTHER = 'other/secret+0123456789';

  /** Starts an upstream that answers each path in `locations` with a redirect. */
  async function startRedirects(locations: (port: number) => Record<string, string>) {
    let found: Record<string, string> = {};
    const started = await startWithUpstream(
      ({ url }, response) => {
        const location = found[url];
        reply(response, location === undefined ? {} : { status: 302, headers: { location } });
      },
      (port) => ({ 'destinations.yaml': FILE(port), secret: OTHER, other: SECRETS[1] }),
    );
    found = locations(started.upstream.port);
    const url = `http://localhost:${started.upstream.port}/start`;
    return {
      ...started,
      outcome: () => started.executor.outcome({ method: 'GET', url }),
      paths: () => started.upstream.requests.map(({ url: path }) => path),
    };
  }

  const percentEncoded = Buffer.from(OTHER).toString('hex').replace(/../g, '%$&');
  it.each([
    ['its path', `/x/${OTHER}/y`],
    ['its path, percent-encoded', `/x/${encodeURIComponent(OTHER)}`],
    ['its query', `/?key=${OTHER}`],
    ['its query, percent-encoded', `/?key=${encodeURIComponent(OTHER)}`],
    ['its query, with each byte percent-encoded', `/?key=${percentEncoded}`],
    ['its query, as in a form', `/?${new URLSearchParams([['key', OTHER]])}`],
    ['its query, in base64', `/?key=${encodeURIComponent(btoa(OTHER))}`],
    ['its query, in base64url', `/?key=${Buffer.from(`Bearer ${OTHER}`).toString('base64url')}`],
    ['its fragment', `/#${OTHER}`],
  ])('is not followed with a credential in %s', async (_name, path) => {
    await using test = await startRedirects((port) => ({
      '/start': `http://127.0.0.1:${port}${path}`,
    }));
    const outcome = await test.outcome();
    const message = expect.stringContaining('would send a credential to another origin');
    expect(outcome).toMatchObject({ error: 'HttpFailure', status: 302, message });
    expect(outcome.headers.location).toContain('REDACTED');
    expectNothingOf(OTHER, outcome.headers.location);
    expect(test.paths()).toEqual(['/start']);
  });

  it('is not followed with the credential of a host on the way', async () => {
    await using test = await startRedirects((port) => ({
      '/start': `http://127.0.0.1:${port}/next`,
      '/next': `http://localhost:${port}/end?key=${SECRETS[1]}`,
    }));
    expect(await test.outcome()).toMatchObject({ error: 'HttpFailure', status: 302 });
    expect(test.paths()).toEqual(['/start', '/next']);
  });

  it('is followed without one', async () => {
    await using test = await startRedirects((port) => ({
      '/start': `http://127.0.0.1:${port}/next`,
    }));
    expect(await test.outcome()).toMatchObject({ outcome: 'success' });
    const sent = test.upstream.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${OTHER}`, undefined]);
  });
});

it('a caller cannot choose the port that gets a credential', async () => {
  await using test = await startWithUpstream(
    {},
    () => ({
      'destinations.yaml': `destinations: [{ host: api.test, credential: bearer }]${CREDENTIALS}`,
      secret: SECRETS[0],
    }),
    LOCAL_NAMES,
  );
  const get = (origin: string) => ({ method: 'GET', url: `${origin}/` });
  expect(await test.executor.dryRun(get('https://api.test:443'))).toMatchObject({
    would_send: true,
    destination: { credential: 'bearer' },
  });
  for (const origin of [`https://api.test:${test.upstream.port}`, 'http://api.test:443'])
    expect(await test.executor.refusal(get(origin))).toMatchObject({
      code: 'DestinationNotAllowed',
    });
  expect(test.upstream.connections).toBe(0);
});
