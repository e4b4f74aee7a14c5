import { METHODS } from '@gatehouse/contracts';
import { type Reply, reply, shared, startRawUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';
import { record, textWith, threeRecords } from '../support/outcomes.ts';
import { startSite } from '../support/site.ts';

const executor = shared(() => startExecutor({ clock: fakeClock(), maxResponseBytes: 200_000 }));
const site = shared(startSite);
const get = (url: string, more: object = {}) => ({ method: 'GET', url, ...more });

/** Starts an upstream that answers every request with these bytes. */
const exact = (statusLine: string, headers: readonly string[], body: string) =>
  startRawUpstream({
    asked: (socket) => socket.write([`HTTP/1.1 ${statusLine}`, ...headers, '', body].join('\r\n')),
  });

const ACCEPTED = 'The upstream accepted the request with status 201, but the response body';
const SCHEMA = { response_schema: { properties: { id: { type: 'integer' }, n: { minimum: 5 } } } };
const PAGE = `<h1>Gone</h1>${'x'.repeat(5_000)}`;
const shown = (chars: number) => `${PAGE.slice(0, chars - 1)}…`;
const NO_LOCATION = 'the response has no `location` header, or more than one.';
const answered = (how: string, body: unknown) => ({
  ...{ error: 'HttpFailure', message: `The upstream answered with ${how}`, body },
});

/** Answers to a POST, each with the expected outcome except for `attempts` and `history`. */
const ANSWERS: [
  name: string,
  status: string,
  body: string,
  expected: object,
  action?: object,
  headers?: Record<string, string>,
][] = [
  ['a success', '201 Made', '{"id":42}', { outcome: 'success', body: { id: 42 } }],
  ['a status', '404 Not Found', '{"why":"absent"}', answered('status 404.', { why: 'absent' })],
  [
    'a status with text, which is shortened',
    '410 Gone',
    PAGE,
    answered('status 410.', shown(2_000)),
  ],
  [
    'a status whose body is not of the type',
    '422 Wrong',
    'abc',
    {
      ...answered(
        'status 422. The response body is not valid text in the charset `utf-16`.',
        'abc',
      ),
      body_type: 'text',
    },
    { response_type: 'text' },
    { 'content-type': 'text/plain; charset=utf-16' },
  ],
  [
    'a redirect that is not followed',
    '302 Found',
    '{}',
    answered(`a redirect (302) that was not followed: ${NO_LOCATION}`, {}),
  ],
  [
    'violations',
    '201 Made',
    '{"id":"a","n":1}',
    {
      error: 'SchemaValidationFailed',
      message: '/id must be integer; /n must be >= 5',
      body: { id: 'a', n: 1 },
      violations: [
        { path: '/id', message: '/id must be integer' },
        { path: '/n', message: '/n must be >= 5' },
      ],
    },
    SCHEMA,
  ],
  [
    'text',
    '201 Made',
    PAGE,
    {
      error: 'ResponseNotJson',
      message: `${ACCEPTED} is not JSON in UTF-8; if it is safe to send the request again, set \`response_type\` to \`auto\` to accept text and bytes.`,
      body: shown(200),
    },
  ],
  [
    'too large',
    '201 Made',
    'x'.repeat(200_001),
    {
      error: 'ResponseTooLarge',
      message: `${ACCEPTED} is larger than 200000 bytes, the limit of this executor; ask for less, such as one page or fewer fields or, if the body is one file such as a PDF, have an operator raise the limit.`,
    },
  ],
  [
    'undecodable',
    '201 Made',
    'no gzip at all',
    {
      error: 'RequestFailed',
      message: `${ACCEPTED} is corrupt or does not match its \`content-encoding\`.`,
    },
    {},
    { 'content-encoding': 'gzip' },
  ],
  [
    'an unknown coding',
    '201 Made',
    'text',
    {
      error: 'RequestFailed',
      message: `${ACCEPTED} has an unsupported \`content-encoding\`; the upstream must use gzip, deflate or br.`,
    },
    {},
    { 'content-encoding': 'compress' },
  ],
];

describe('the outcome of', () => {
  it.each(ANSWERS)('%s', async (_name, status, body, expected, action = {}, more = {}) => {
    const headers = { 'content-length': `${Buffer.byteLength(body)}`, ...more };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    await using upstream = await exact(status, lines, body);
    const sent = { method: 'POST', url: upstream.origin, ...action };
    expect(await executor().outcome(sent)).toEqual({
      outcome: 'failure',
      status: Number(status.slice(0, 3)),
      headers: 'content-encoding' in headers ? {} : headers,
      attempts: 1,
      history: [],
      ...expected,
    });
  });

  it('exhausted retries has the last error', async () => {
    await using upstream = await exact('503 Busy', ['Content-Length: 13'], '{"busy":true}');
    const message = 'The upstream answered with status 503.';
    expect(await executor().outcome(get(upstream.origin))).toEqual({
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: `All 3 attempts failed. The last attempt failed: ${message}`,
      attempts: 3,
      history: threeRecords('status', 503),
      last_error: {
        error: 'HttpFailure',
        message,
        status: 503,
        headers: { 'content-length': '13' },
        body: { busy: true },
      },
    });
  });

  it('a deterministic failure after a transient one keeps the history', async () => {
    expect(
      await executor().failure(get(site().serve({ status: 500 }, { status: 404 }))),
    ).toMatchObject({
      error: 'HttpFailure',
      status: 404,
      attempts: 2,
      history: [record(1, 'status', 200, 500)],
    });
  });
});

describe('headers', () => {
  const headersOf = async (...lines: string[]) => {
    await using upstream = await exact('200 OK', ['Content-Length: 2', ...lines], '{}');
    return Object.entries((await executor().success(get(upstream.origin))).headers).slice(1);
  };

  it('have lower-case names in order, and arrays if repeated', async () => {
    expect(await headersOf('X-Tag: one', 'Link: <a>', 'x-tag: two', 'X-TAG: three')).toEqual([
      ['x-tag', ['one', 'two', 'three']],
      ['link', '<a>'],
    ]);
  });

  it('may have the name of a member of Object', async () => {
    expect(
      await headersOf('__proto__: a', 'constructor: b', 'toString: c', '__proto__: d'),
    ).toEqual([
      ['__proto__', ['a', 'd']],
      ['constructor', 'b'],
      ['tostring', 'c'],
    ]);
  });
});

const coded = (coding: string): Reply => ({ headers: { 'content-encoding': coding }, body: '' });
const EMPTY: Record<string, Reply> = {
  '204': { status: 204 },
  '204 that claims a coding': { status: 204, headers: { 'content-encoding': 'gzip' } },
  '205': { status: 205, body: '' },
  'zero bytes': { body: '' },
  'zero bytes of JSON': { headers: { 'content-type': 'application/json' }, body: '' },
  'zero bytes of gzip': coded('gzip'),
  'zero bytes of an unknown coding': coded('compress'),
};

describe('an empty body is null', () => {
  it.each(Object.entries(EMPTY))('%s', async (_name, answer) => {
    const url = site().serve(answer);
    for (const method of METHODS)
      expect(await executor().success({ method, url })).toMatchObject({ body: null });
  });

  it.each([
    ['with a length', { 'content-length': '1000', 'content-type': 'application/json' }],
    ['with a coding', { 'content-length': '1000', 'content-encoding': 'gzip' }],
    ['with a length above the limit', { 'content-length': '100000000000' }],
  ])('HEAD %s', async (_name, headers) => {
    await using upstream = await startUpstream((_, response) =>
      response.writeHead(200, headers).end(),
    );
    const outcome = await executor().success({ method: 'HEAD', url: upstream.origin });
    expect(outcome.body).toBe(null);
    // After decompression, the coding and the length would describe bytes that nobody gets.
    if ('content-encoding' in headers) {
      expect(outcome.headers).not.toHaveProperty('content-encoding');
      expect(outcome.headers).not.toHaveProperty('content-length');
    } else expect(outcome.headers).toMatchObject(headers);
  });

  it('in a failure, without chunks, and at the end of a connection', async () => {
    const failed = site().serve({ status: 404, body: '' });
    expect(await executor().failure(get(failed))).toMatchObject({ status: 404, body: null });
    const chunked = ['transfer-encoding: chunked'];
    await using chunks = await exact('200 OK', chunked, '0\r\n\r\n');
    await using closing = await startRawUpstream({
      asked: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
    });
    for (const { origin } of [chunks, closing])
      expect(await executor().success(get(origin))).toMatchObject({ body: null });
  });

  it('is checked against a response schema', async () => {
    const action = get(site().serve({ status: 204 }));
    await executor().success({ ...action, response_schema: { type: 'null' } });
    expect(
      await executor().failure({ ...action, response_schema: { type: 'object' } }),
    ).toMatchObject({ error: 'SchemaValidationFailed', body: null, violations: [{ path: '' }] });
  });
});

const levels = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const NOT_JSON: Record<string, string | Uint8Array> = {
  HTML: '<html></html>',
  'JSON cut short': '{"a":',
  'two documents': '{}{}',
  NaN: 'NaN',
  'single quotes': "{'a':1}",
  'blanks alone': '  \n',
  'latin1 without a charset': Buffer.from('"\xfc"', 'latin1'),
  'UTF-16 without its mark': Buffer.from('{"a":1}', 'utf16le'),
  'a NUL': '\0',
  'two byte order marks': '\ufeff\ufeff{}',
  'half a byte order mark': Buffer.from([0xef, 0xbb]),
  '257 levels': levels(257),
  '100,000 levels': levels(100_000),
};

it('a success whose body is not JSON is ResponseNotJson, with an excerpt', async () => {
  for (const [name, body] of Object.entries(NOT_JSON)) {
    const failure = await executor().failure(get(site().serve({ body })));
    expect(failure, name).toMatchObject({ error: 'ResponseNotJson', status: 200, attempts: 1 });
    expect(failure.message, name).toEqual(textWith('accepted the request with status 200'));
    expect(String(failure.body).length, name).toBeLessThanOrEqual(200);
  }
});

it.each([
  ['256 levels', levels(256)],
  ['a byte order mark', '\ufeff{}'],
])('JSON with %s is JSON', async (_name, body) => {
  const { body: parsed } = await executor().success(get(site().serve({ body })));
  expect(parsed).toEqual(JSON.parse(body.replace('\ufeff', '')));
});

const AT_ONCE = 60;

it('keeps concurrent executions apart', async () => {
  const waiting: (() => void)[] = [];
  await using upstream = await startUpstream(({ url, headers }, response) => {
    waiting.push(() => reply(response, { body: { url, key: headers['x-api-key'] } }));
    if (waiting.length === AT_ONCE) for (const answer of waiting.splice(0)) answer();
  });
  const outcomes = Array.from({ length: AT_ONCE }, (_, n) =>
    executor().success({
      method: n % 2 === 0 ? 'GET' : 'POST',
      url: `${upstream.origin}/${n}`,
      headers: n % 3 === 0 ? { 'x-api-key': `secret-key-${n}` } : {},
    }),
  );
  expect((await Promise.all(outcomes)).map(({ body }) => body)).toEqual(
    outcomes.map((_, n) => ({ url: `/${n}`, ...(n % 3 === 0 && { key: 'REDACTED' }) })),
  );
});
