import { type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const SECRET = 's3cr3t/T0ken+Value==';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('response headers that hold credentials are masked', () => {
  it.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'X-API-Key',
    'x-auth-token',
    'x-csrf-token',
  ])('%s', async (name) => {
    await using upstream = await startUpstream({
      headers: { [name]: 'of the upstream', 'x-plain': 'seen' },
    });
    const { headers } = await executor().success({ method: 'GET', url: upstream.origin });
    expect(headers).toMatchObject({ [name.toLowerCase()]: 'REDACTED', 'x-plain': 'seen' });
  });

  it('several cookies', async () => {
    await using upstream = await startUpstream({
      headers: { 'set-cookie': ['a=upstream-1', 'b=upstream-2'] },
    });
    const outcome = await executor().success({ method: 'GET', url: upstream.origin });
    expect(JSON.stringify(outcome)).not.toContain('upstream-');
    expect([outcome.headers['set-cookie']].flat()).toContain('REDACTED');
  });

  it('those of HTTP_EXECUTOR_REDACTED_HEADERS, in any case', async () => {
    await using upstream = await startUpstream({
      headers: { 'x-internal': 'a', 'X-Customer': 'b', 'x-plain': 'c' },
    });
    const env = { HTTP_EXECUTOR_REDACTED_HEADERS: 'X-Internal, x-customer' };
    await using own = await startExecutor({ env });
    const { headers } = await own.success({ method: 'GET', url: upstream.origin });
    expect(headers).toMatchObject({
      'x-internal': 'REDACTED',
      'x-customer': 'REDACTED',
      'x-plain': 'c',
    });
  });

  it.each([404, 503])('of a %i too', async (status) => {
    await using upstream = await startUpstream({
      status,
      headers: { 'set-cookie': 'sid=upstream-1' },
    });
    const outcome = await executor().failure({ method: 'GET', url: upstream.origin });
    expect(JSON.stringify(outcome)).not.toContain('upstream-1');
    expect((outcome.last_error ?? outcome).headers).toMatchObject({ 'set-cookie': 'REDACTED' });
  });
});

/**
 * What the caller sends, what of it the upstream echoes, and what of that is no secret
 * and may be left.
 */
const ECHOES: [name: string, headers: Record<string, string>, echo: string, harmless?: string][] = [
  ['a Bearer header', { Authorization: `Bearer ${SECRET}` }, `Bearer ${SECRET}`, '(?:Bearer )?'],
  [
    'a Bearer token, URL-encoded',
    { authorization: `Bearer ${SECRET}` },
    encodeURIComponent(SECRET),
  ],
  ['a Bearer token, in base64', { authorization: `Bearer ${SECRET}` }, base64(SECRET)],
  [
    'the password of a Basic header',
    { authorization: `Basic ${base64('user:p4ssw0rd!')}` },
    'p4ssw0rd!',
  ],
  [
    'a cookie header',
    { cookie: 'theme=dark; sid=c00kie-value' },
    'theme=dark; sid=c00kie-value',
    'theme=dark; sid=',
  ],
  ['an API key', { 'X-Api-Key': 'k3y-1234567890' }, 'k3y-1234567890'],
];

/** Where an echo may turn up, in the answer to the request. */
const PLACES: [
  name: string,
  answer: (echo: string) => Parameters<typeof reply>[1],
  shown: string,
][] = [
  ['a string of the body', (echo) => ({ body: { a: [`<${echo}>`] } }), '<REDACTED>'],
  ['a key of the body', (echo) => ({ body: { a: { [`<${echo}>`]: 1 } } }), '<REDACTED>'],
  ['a bare string', (echo) => ({ body: JSON.stringify(`<${echo}>`) }), '<REDACTED>'],
  ['the text of a failure', (echo) => ({ status: 400, body: `bad: ${echo}.` }), 'bad: REDACTED.'],
  ['the JSON of a failure', (echo) => ({ status: 401, body: { got: echo } }), '"got":"REDACTED"'],
  ['the excerpt of a body that is not JSON', (echo) => ({ body: `<p>${echo}` }), '<p>REDACTED'],
  ['the last error', (echo) => ({ status: 503, body: { got: echo } }), '"got":"REDACTED"'],
  ['a header', (echo) => ({ headers: { 'x-echo': `<${echo}>` } }), '<REDACTED>'],
];

describe('a credential that the upstream echoes is scrubbed', () => {
  it.each(PLACES)('in %s', async (_place, answer, shown) => {
    for (const [name, headers, echo, harmless = ''] of ECHOES) {
      await using upstream = await startUpstream(answer(echo));
      const outcome = await executor().outcome({ method: 'GET', url: upstream.origin, headers });
      const text = JSON.stringify(outcome);
      const scrubbed = shown.replace(/[.?]/g, '\\$&').replace('REDACTED', `${harmless}REDACTED`);
      expect(text, name).not.toContain(JSON.stringify(echo).slice(1, -1));
      expect(text, name).toMatch(new RegExp(scrubbed));
      expect(outcome.redactions, name).toBe(1);
    }
  });
});

const echo: Handler = (request, response) => reply(response, { body: { seen: request.headers } });

describe('redactions', () => {
  it('counts every echo', async () => {
    await using upstream = await startUpstream({
      headers: { 'x-echo': SECRET },
      body: { a: SECRET, b: [`${SECRET} and ${SECRET}`], [SECRET]: null, c: 'plain' },
    });
    const headers = { authorization: `Bearer ${SECRET}` };
    expect(
      await executor().success({ method: 'GET', url: upstream.origin, headers }),
    ).toMatchObject({
      headers: { 'x-echo': 'REDACTED' },
      body: { a: 'REDACTED', b: ['REDACTED and REDACTED'], REDACTED: null, c: 'plain' },
      redactions: 5,
    });
  });

  it('an echo of the whole request shows nothing secret', async () => {
    await using upstream = await startUpstream(echo);
    const headers = {
      authorization: `Bearer ${SECRET}`,
      cookie: 'sid=c00kie-value',
      'x-api-key': 'k3y-1234567890',
    };
    const outcome = await executor().success({ method: 'GET', url: upstream.origin, headers });
    expect(JSON.stringify(outcome)).not.toMatch(/s3cr3t|c00kie|k3y-/);
    expect(outcome.redactions).toBe(3);
  });

  it('is absent when nothing was scrubbed', async () => {
    await using upstream = await startUpstream({ body: { a: 'plain' } });
    const headers = { authorization: `Bearer ${SECRET}` };
    const outcome = await executor().success({ method: 'GET', url: upstream.origin, headers });
    expect(outcome).not.toHaveProperty('redactions');
    expect(outcome.body).toEqual({ a: 'plain' });
  });
});

describe('a body that is cut at the limit', () => {
  // contract: a credential is scrubbed wherever it is echoed; half of one must not slip
  // through at the cut.
  it('shows no part of a credential', async () => {
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(404).write(`${'x'.repeat(50)}${SECRET.slice(0, 12)}`);
      // In two pieces, as over a slow line; what is shown is the same if they arrive as one.
      setTimeout(() => response.end(`${SECRET.slice(12)}${'y'.repeat(100)}`), 30);
    });
    await using own = await startExecutor({ env: { HTTP_EXECUTOR_MAX_RESPONSE_BYTES: '100' } });
    const headers = { authorization: `Bearer ${SECRET}` };
    const failure = await own.failure({ method: 'GET', url: upstream.origin, headers });
    expect(failure).toMatchObject({ error: 'HttpFailure', status: 404 });
    expect(JSON.stringify(failure.body)).not.toContain(SECRET.slice(0, 8));
  });

  it('is shortened after it was scrubbed', async () => {
    const text = Array.from({ length: 400 }, () => SECRET).join(' ');
    await using upstream = await startUpstream([{ status: 404, body: text }, { body: text }]);
    for (const _ of [1, 2]) {
      const headers = { authorization: `Bearer ${SECRET}` };
      const failure = await executor().failure({ method: 'GET', url: upstream.origin, headers });
      expect(failure.body).toMatch(/^(REDACTED )+[REDACT]*…?$/);
    }
  });
});

describe('HTTP_EXECUTOR_HEADER_MODE=strict', () => {
  const strict = shared(() => startExecutor({ env: { HTTP_EXECUTOR_HEADER_MODE: 'strict' } }));

  it('shows the headers that a planner needs, and no other', async () => {
    const needed = {
      'content-type': 'application/json',
      etag: '"1"',
      link: '<a>',
      'x-ratelimit-remaining': '3',
    };
    const others = {
      'set-cookie': 'a=b',
      server: 'x',
      'x-powered-by': 'y',
      'x-internal': 'z',
      authorization: 'w',
    };
    await using upstream = await startUpstream({ headers: { ...needed, ...others } });
    const { headers } = await strict().success({ method: 'GET', url: upstream.origin });
    expect(headers).toMatchObject(needed);
    for (const name of Object.keys(others)) expect(headers).not.toHaveProperty(name);
  });

  it('scrubs those that it shows', async () => {
    await using upstream = await startUpstream({
      status: 404,
      headers: { location: `/?token=${SECRET}` },
    });
    const headers = { authorization: `Bearer ${SECRET}` };
    const outcome = await strict().failure({ method: 'GET', url: upstream.origin, headers });
    expect(outcome).toMatchObject({ headers: { location: '/?token=REDACTED' }, redactions: 1 });
  });
});
