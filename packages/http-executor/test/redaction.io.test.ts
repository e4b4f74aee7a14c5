import type { ExecutionOutcome } from '@gatehouse/contracts';
import { type Reply, shared, startRawUpstream } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { startSite } from './support/site.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));
const site = shared(startSite);

const LONG = 'Secret-Of-Many/Letters+1';
const SHORT = 'p@ss "wd"/1';
const ACCENTS = 'pässwörd-of-16-€😀';
const basic = (secret: string) => ({ authorization: `Basic ${btoa(latin1(`user:${secret}`))}` });
const key = (secret: string) => ({ 'x-api-key': secret });
/** Converts text to UTF-8, and writes each byte as one character. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

const hex = (unit: string, digits: number) => unit.charCodeAt(0).toString(16).padStart(digits, '0');
const unitsOf = (text: string) => text.split('');

/** Encodings of docs/contract.md, "Redaction". */
const ENCODINGS: Record<string, (secret: string) => string> = {
  literal: (secret) => secret,
  'JSON string': (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON string with escaped slashes': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON string of escapes alone': (secret) =>
    unitsOf(secret)
      .map((unit) => `\\u${hex(unit, 4)}`)
      .join(''),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (found) => found.toLowerCase()),
  'percent-encoded path': (secret) => secret.split('/').map(encodeURIComponent).join('/'),
  'every byte percent-encoded': (secret) =>
    unitsOf(latin1(secret))
      .map((byte) => `%${hex(byte, 2)}`)
      .join(''),
  form: (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
};

const AROUND: ((echo: string) => string)[] = [
  (echo) => echo,
  (echo) => `The key ${echo} is wrong.`,
  (echo) => `/path?key=${echo}&page=2`,
  (echo) => `\\n${echo}\\t and %20${echo}%0a`,
  (echo) => `„${echo}“ ← 日本：${echo}`,
];

type Read = (outcome: ExecutionOutcome) => unknown;
const body: Read = (outcome) => outcome.body;
const bytes = (text: string) => Buffer.concat([Buffer.of(0xff, 0), Buffer.from(text)]);

/**
 * Places where an echo can appear. Each has a function that builds the upstream's answer, a
 * function that reads the echo from the outcome, and a `response_type`.
 */
const PLACES: Record<string, [answer: (echo: string) => Reply, read: Read, type?: string]> = {
  'a JSON string': [(echo) => ({ body: [echo] }), (outcome) => Object(outcome.body)[0]],
  'a bare JSON string': [(echo) => ({ body: JSON.stringify(echo) }), body],
  'a member name': [
    (echo) => ({ body: { [echo]: 1 } }),
    (outcome) => Object.keys(Object(outcome.body))[0],
  ],
  text: [(echo) => ({ body: echo, headers: {} }), body, 'text'],
  bytes: [
    (echo) => ({ body: bytes(echo) }),
    (outcome) => Buffer.from(String(outcome.body), 'base64').subarray(2).toString(),
    'base64',
  ],
  'an error page': [(echo) => ({ status: 404, body: echo }), body],
  'the JSON of a failure': [
    (echo) => ({ status: 401, body: { got: echo } }),
    (outcome) => Object(outcome.body).got,
  ],
  'an excerpt': [(echo) => ({ body: `<p>${echo}` }), (outcome) => `${outcome.body}`.slice(3)],
  'the last error': [
    (echo) => ({ status: 503, body: { got: echo } }),
    (outcome) => Object(outcome.outcome === 'failure' && outcome.last_error?.body).got,
  ],
  'a header': [
    (echo) => ({ headers: { 'x-echo': latin1(`<${echo}>`) } }),
    (outcome) => String(outcome.headers?.['x-echo']).slice(1, -1),
  ],
};

describe.each(Object.entries(PLACES))(
  'in %s an echo is scrubbed',
  (_place, [answer, read, type]) => {
    it.each(Object.entries(ENCODINGS))('%s', async (_encoding, encode) => {
      for (const secret of [LONG, SHORT, ACCENTS])
        for (const around of AROUND) {
          const url = site().serve(answer(around(encode(secret))));
          const action = { method: 'GET', url, headers: basic(secret), response_type: type };
          const outcome = await executor().outcome(action);
          // Ignore `=` after `REDACTED`, because redaction may leave the padding of base64.
          const shown = String(read(outcome)).replaceAll('REDACTED=', 'REDACTED');
          expect(shown).toBe(around('REDACTED'));
          expect(outcome.redactions).toBe(around('REDACTED').split('REDACTED').length - 1);
        }
    });

    it('the whole credential in base64', async () => {
      for (const encoding of ['base64', 'base64url'] as const) {
        const echo = Buffer.from(`Bearer ${LONG}`).toString(encoding);
        const headers = { authorization: `Bearer ${LONG}` };
        const url = site().serve(answer(`got ${echo}`));
        const outcome = await executor().outcome({
          method: 'GET',
          url,
          headers,
          response_type: type,
        });
        expect(String(read(outcome))).toMatch(/^got REDACTED=*$/);
      }
    });
  },
);

/**
 * Echoes `text` as a text body and in a JSON string, while the action sends `secret` as
 * `x-api-key`. Returns the text as shown in each.
 */
async function shownOf(secret: string, text: string): Promise<unknown[]> {
  const shown: unknown[] = [];
  for (const place of ['text', 'a JSON string']) {
    const [answer, read, type] = PLACES[place] ?? [];
    const url = site().serve(answer?.(text) ?? {});
    const headers = key(secret);
    const action = { method: 'GET', url, headers, response_type: type };
    shown.push(read?.(await executor().outcome(action)));
  }
  return shown;
}

describe('text that is not a secret stays unchanged', () => {
  it.each<[secret: string, text: string]>([
    [LONG, LONG.toUpperCase()],
    [LONG, LONG.slice(1)],
    [LONG, encodeURIComponent(encodeURIComponent(LONG))],
    ...['changemes', 'exchangeme', '1changeme', 'changeme_2', 'ächangeme', 'changeme日'].map(
      (text): [string, string] => ['changeme', text],
    ),
    ['changeme', '%41changeme'],
    ['changeme', 'ChangeMe'],
    ['abcdefg', 'abcdefg'],
    ['123456789012345', 'x123456789012345'],
    [`${'0'.repeat(31)}1`, '0'.repeat(60_000)],
    [`${'A'.repeat(25)}=`, 'A'.repeat(100_000)],
  ])('%s in %s', async (secret, text) => {
    expect(await shownOf(secret, text)).toEqual([text, text]);
  });

  it.each([
    ['changeme', '"changeme"', '"REDACTED"'],
    ['changeme', 'a-changeme.b', 'a-REDACTED.b'],
    ['changeme', '\\nchangeme', '\\nREDACTED'],
    ['changeme', '\\\\nchangeme', '\\\\nchangeme'],
    ['changeme', 'a%20changeme', 'a%20REDACTED'],
    ['1234567890123456', 'x1234567890123456y', 'xREDACTEDy'],
  ])('unlike a whole word or a long secret: %s in %s', async (secret, text, expected) => {
    expect(await shownOf(secret, text)).toEqual([expected, expected]);
  });
});

const KEY = 'Secret-Of-Many-Letters';
/** Returns the outcome of a GET with this key, answered with this JSON. */
const scrub = async (document: string, secret = KEY) =>
  executor().text({ method: 'GET', url: site().serve({ body: document }), headers: key(secret) });

describe('a JSON document', () => {
  it.each<[name: string, document: string, expected: string, redactions: number]>([
    ['keeps what is around', `{ "a" :["x ${KEY}",1.50] }`, '{ "a" :["x REDACTED",1.50] }', 1],
    ['counts two in one string', `["${KEY}/${KEY}"]`, '["REDACTED/REDACTED"]', 2],
    ['counts two without a gap', `["${KEY}${KEY}"]`, '["REDACTEDREDACTED"]', 2],
    ['keeps names apart', `{"${KEY}":1,"${KEY}":2}`, '{"REDACTED":1,"REDACTED_2":2}', 2],
    ['keeps its own names', `{"REDACTED":0,"${KEY}":1}`, '{"REDACTED":0,"REDACTED_2":1}', 1],
    [
      'keeps its own names that are escaped',
      `{"R\\u0045DACTED":0,"${KEY}":1,"REDACTED\\u005f4":2}`,
      '{"R\\u0045DACTED":0,"REDACTED_2":1,"REDACTED\\u005f4":2}',
      1,
    ],
    [
      'keeps its own names with two digits',
      `{"REDACTED_2":0,"REDACTED_10":0${`,"${KEY}":1`.repeat(10)}}`,
      `{"REDACTED_2":0,"REDACTED_10":0,"REDACTED":1${[3, 4, 5, 6, 7, 8, 9, 11, 12].map((n) => `,"REDACTED_${n}":1`).join('')}}`,
      10,
    ],
    ['numbers each object', `[{"${KEY}":1},{"${KEY}":2}]`, '[{"REDACTED":1},{"REDACTED":2}]', 2],
    ['counts names that differ', `{"x ${KEY}":1,"${KEY}":2}`, '{"x REDACTED":1,"REDACTED_2":2}', 2],
    [
      'keeps apart names that end in numbers',
      `{"${KEY}_2":1,"${KEY}":2}`,
      '{"REDACTED_2":1,"REDACTED_3":2}',
      2,
    ],
    ['keeps other scripts', `{"ä":"ö ${KEY} 日"}`, '{"ä":"ö REDACTED 日"}', 1],
    ['keeps escapes beside it', `["\\n${KEY}\\n"]`, '["\\nREDACTED\\n"]', 1],
  ])('%s', async (_name, document, expected, redactions) => {
    const text = await scrub(document);
    expect(text).toContain(`"body":${expected},"attempts"`);
    expect(JSON.parse(text).redactions).toBe(redactions);
  });

  it.each([
    ['nSecret-Of-Many-Letters', '["a\\nSecret-Of-Many-Letters"]', '["a\\nSecret-Of-Many-Letters"]'],
    ['0041abcdefghijkl', '["\\u0041abcdefghijkl"]', '["\\u0041abcdefghijkl"]'],
    ['abcdefghijklmnop\\', '["abcdefghijklmnop\\\\",1]', '["REDACTED",1]'],
    ['"abcdefgh', '["abcdefgh"]', '["abcdefgh"]'],
    ['"abcdefgh', '["\\"abcdefgh"]', '["REDACTED"]'],
    ['one","b":"two-three', '{"a":"one","b":"two-three"}', '{"a":"one","b":"two-three"}'],
    [
      '12345678',
      '[12345678,-12345678,123456789,0.12345678,"12345678","1712345678"]',
      '["REDACTED",-12345678,123456789,0.12345678,"REDACTED","1712345678"]',
    ],
    ['1234567890123456', '[12345678901234567,1234567890123456]', '[12345678901234567,"REDACTED"]'],
  ])('keeps its shape: %j in %s', async (secret, document, expected) => {
    expect(await scrub(document, secret)).toContain(`"body":${expected},"attempts"`);
  });

  it('is withheld if it repeats secrets more than 10,000 times', async () => {
    const repeated = (times: number) => JSON.stringify(Array(times).fill(KEY));
    expect(JSON.parse(await scrub(repeated(10_000))).redactions).toBe(10_000);
    const withheld = JSON.parse(await scrub(repeated(10_001)));
    expect(withheld).toMatchObject({
      error: 'RequestFailed',
      message: expect.stringContaining('more than 10000 times'),
    });
    expect(withheld).not.toHaveProperty('body');
  });

  it('is withheld if it contains too many beginnings of a secret', async () => {
    const withheld = JSON.parse(await scrub(`["${'a'.repeat(60_000)}"]`, `${'a'.repeat(999)}b`));
    expect(withheld).toMatchObject({
      error: 'RequestFailed',
      message: expect.stringContaining('could not be searched for echoed credentials in time'),
    });
    expect(withheld).not.toHaveProperty('body');
  });
});

const anyKey = fc.stringMatching(/^[A-Za-z0-9+/._~%-]{16,40}$/);

it('returns everything except the secret byte for byte', async () => {
  const law = fc.asyncProperty(anyKey, fc.json(), fc.json(), async (secret, before, after) => {
    fc.pre(!before.includes(secret) && !after.includes(secret));
    const document = (echo: string) => `[${before},${JSON.stringify(echo)},${after}]`;
    expect(await scrub(document(secret), secret)).toContain(`"body":${document('REDACTED')},`);
    expect(await scrub(`[${before}]`, secret)).toContain(`"body":[${before}],`);
  });
  await fc.assert(law, { numRuns: 300 });
});

describe('a text that is cut at the limit', () => {
  // Maximum length of an echo: 32 base64 characters, each of which takes up to six bytes when
  // escaped.
  const UNSURE = 6 * 32;
  it.each([
    [`see ${LONG} and ${'x'.repeat(UNSURE)}`, 'see REDACTED and '],
    [`see ${LONG} and ${'x'.repeat(UNSURE - 1)}`, 'see REDACTED and'],
    [`see ${'x'.repeat(UNSURE)}${LONG.slice(0, 12)}`, `see ${'x'.repeat(12)}`],
    ['see', ''],
  ])('%s shows no part of a secret', async (text, expected) => {
    const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
    const head = 'HTTP/1.1 404 No\r\ntransfer-encoding: chunked\r\n\r\n';
    await using upstream = await startRawUpstream({
      asked: (socket) => socket.write(head + chunk(text) + chunk('the rest')),
    });
    await using own = await startExecutor({ maxResponseBytes: text.length });
    const action = { method: 'GET', url: upstream.origin };
    const shown = async (headers: object) => (await own.failure({ ...action, headers })).body;
    expect(await shown(key(LONG))).toBe(expected);
    expect(await shown({})).toBe(text);
  });

  it('is redacted before it is shortened', async () => {
    const page = Array(400).fill(LONG).join(' ');
    for (const status of [404, 200]) {
      const url = site().serve({ status, body: page });
      const { body: shown } = await executor().failure({ method: 'GET', url, headers: key(LONG) });
      expect(shown).toMatch(/^(REDACTED )+[REDACT]*…?$/);
    }
  });
});

describe('headers of a response', () => {
  const shown = async (headers: Record<string, string | string[]>, setup = {}, sent = {}) => {
    await using own = await startExecutor(setup);
    const url = site().serve({ headers, body: '1' });
    const outcome = await own.success({ method: 'GET', url, headers: sent });
    const { date: _d, connection: _c, 'keep-alive': _k, ...rest } = outcome.headers;
    const { 'transfer-encoding': _t, 'content-length': _l, ...own_ } = rest;
    return own_;
  };
  const named = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'v']));

  it('are masked by name, and settings take precedence', async () => {
    const sent = named('x-mask both set-cookie x-api-key x-a');
    const rules = {
      redactedHeaders: ['X-Mask', 'both'],
      shownHeaders: ['Set-Cookie', 'both'],
    };
    expect(await shown(sent, rules)).toEqual({
      'x-mask': 'REDACTED',
      both: 'REDACTED',
      'x-api-key': 'REDACTED',
      'set-cookie': 'v',
      'x-a': 'v',
    });
    expect(await shown({ 'set-cookie': ['a=1', 'b=2'] })).toEqual({ 'set-cookie': 'REDACTED' });
  });

  it('are limited to a list in strict mode, and redacted', async () => {
    const safe = 'etag link retry-after x-total-count x-ratelimit-reset';
    const others = ' server x-a set-cookie authorization x-powered-by not-ratelimit';
    const strict = { headerMode: 'strict' };
    expect(await shown(named(safe + others), strict)).toEqual(named(safe));
    const rules = { ...strict, shownHeaders: ['server'] };
    expect(await shown(named('server x-a'), rules)).toEqual({ server: 'v' });
    const echo = await shown({ etag: LONG }, strict, key(LONG));
    expect(echo).toEqual({ etag: 'REDACTED' });
  });

  it('are left out if the search takes too long', async () => {
    const sent = { 'x-a': 'a'.repeat(8_000), 'x-b': 'b' };
    expect(await shown(sent, {}, key(`${'a'.repeat(999)}b`))).toEqual({});
    const escaped = { 'x-a': '\\'.repeat(8_000), 'x-b': 'b' };
    expect(await shown(escaped, {}, key('\\'.repeat(4_000)))).toEqual({
      'x-a': 'REDACTED',
      'x-b': 'b',
    });
  });
});

const SECRETS: [secret: string, headers: Record<string, string>][] = [
  [LONG, key(LONG)],
  ['s3cr3t/T0ken~Value==', basic('s3cr3t/T0ken~Value==')],
  ['k/3~y-99', key('k/3~y-99')],
  ['Kx82-hqPz0', { cookie: 'tz=UTC; sid=Kx82-hqPz0' }],
];

/** Members that make an action invalid, so that its refusal may quote `text`. */
const FAULTS: ((text: string) => object)[] = [
  (text) => ({ url: text }),
  (text) => ({ url: `http://elsewhere.test/${encodeURIComponent(text)}` }),
  (text) => ({ url: `http://me:${encodeURIComponent(text)}@127.0.0.1/` }),
  (text) => ({ url: `http://${text.replace(/[^\w-]/g, '-')}.test/` }),
  (text) => ({ headers: { [`x ${text}`]: '1' } }),
  (text) => ({ headers: { 'x-a': `${text}\u0001` } }),
  (text) => ({ headers: { 'x-a': text, 'X-A': text } }),
  (text) => ({ response_schema: { properties: { [text]: { type: 1 } } } }),
  (text) => ({ response_schema: { [text]: 1, type: 1 } }),
  (text) => ({ response_schema: { type: text } }),
  (text) => ({ response_schema: { pattern: `(${text}(` } }),
  (text) => ({ response_schema: { $ref: `#/$defs/${text}` } }),
  (text) => ({ response_schema: { $schema: `http://elsewhere.test/${text}` } }),
  (text) => ({ response_schema: { required: text } }),
];
/** Schemas whose violations may quote the schema or a member name of the body. */
const RULES: ((text: string) => { body: object; schema: object })[] = [
  (text) => ({ body: { [text]: 1 }, schema: { additionalProperties: false } }),
  (text) => ({ body: { [text]: 1 }, schema: { propertyNames: { maxLength: 2 } } }),
  (text) => ({ body: { [text]: 'x' }, schema: { additionalProperties: { type: 'integer' } } }),
  (text) => ({ body: {}, schema: { required: [text] } }),
  (text) => ({ body: { b: 1 }, schema: { dependentRequired: { b: [text] } } }),
  (text) => ({ body: { b: text }, schema: { const: text } }),
  (text) => ({ body: { b: text }, schema: { enum: [text, 1] } }),
];

/** Appends a copy of the text in which the escapes of JSON Pointers are decoded. */
const undone = (text: string) => `${text}\n${text.replaceAll('~1', '/').replaceAll('~0', '~')}`;

describe.each(SECRETS)('%s', (secret, headers) => {
  const action = { method: 'GET', url: 'http://127.0.0.1:2/', headers };

  it('is not shown by a refusal', async () => {
    for (const fault of FAULTS) {
      const change = fault(secret) as { headers?: object };
      const refusal = await executor().refusal({
        ...action,
        ...change,
        headers: { ...headers, ...change.headers },
      });
      const text = undone(JSON.stringify([refusal.message, refusal.violations]));
      expect(text, String(fault)).not.toContain(secret);
    }
  });

  it('is not shown by violations of the action schema', () => {
    const pointer = `/${secret.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const violations = [{ pointer, message: `has no member ${secret}` }];
    for (const malformed of [{}, { 'x-auth-token': 5 }]) {
      const value = { ...action, headers: { ...headers, ...malformed }, [secret]: 1 };
      expect(executor().explain(value, violations)).toEqual([
        { pointer: '/REDACTED', message: 'has no member REDACTED' },
      ]);
    }
  });

  it('is not shown by violations of a response schema', async () => {
    for (const rule of RULES) {
      const { body: answer, schema } = rule(secret);
      const url = site().serve({ body: answer });
      const failure = await executor().failure({ ...action, url, response_schema: schema });
      expect(failure.error, String(rule)).toBe('SchemaValidationFailed');
      expect(undone(JSON.stringify(failure)), String(rule)).not.toContain(secret);
    }
  });
});

it('refuses an action with more than 64 secrets', async () => {
  const cookies = (count: number) => Array.from({ length: count }, (_, n) => `sid=secret-${n}`);
  const send = (count: number) => ({
    method: 'GET',
    url: site().serve({}),
    headers: { cookie: cookies(count).join('; ') },
  });
  await executor().success(send(64));
  expect(await executor().refusal(send(65))).toMatchObject({
    code: 'InvalidAction',
    message: expect.stringMatching(
      /^Correct `\/headers`: it must not contain more than 64 secrets/,
    ),
    violations: [
      {
        pointer: '/headers',
        message:
          'must not contain more than 64 secrets, such as session cookies; leave out those that the upstream does not need',
      },
    ],
  });
});

it('limits violations of an action to 20 of 300 characters each', () => {
  const violation = { pointer: `/${'p'.repeat(299)}`, message: 'm'.repeat(301) };
  const kept = executor().explain({ headers: key(LONG) }, Array(21).fill(violation));
  expect(kept).toHaveLength(20);
  expect(kept[0]).toEqual({ pointer: violation.pointer, message: `${'m'.repeat(299)}…` });
});
