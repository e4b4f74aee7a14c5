import type { ExecutionOutcome } from '@gatehouse/contracts';
import {
  type Handler,
  type Reply,
  reply,
  shared,
  startRawUpstream,
  startUpstream,
} from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { type Setup, startExecutor } from '../support/executor.ts';
import { startSite } from '../support/site.ts';

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

/** Encodings of docs/executor-security.md, "Echoed secrets". */
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

describe('the secrets of a header', () => {
  it.each<[name: string, headers: Record<string, string>, secrets: string[], shown: string[]]>([
    ['Bearer', { Authorization: `Bearer ${LONG}` }, [LONG], ['Bearer']],
    ['no scheme', { authorization: LONG }, [LONG], []],
    [
      'another scheme',
      { authorization: 'Digest a="b", response="c"' },
      ['a="b", response="c"'],
      [],
    ],
    ['Basic', basic('horse-99'), ['horse-99', btoa('user:horse-99')], ['user']],
    ['a key', { 'X-API-Key': `Key ${LONG}` }, [`Key ${LONG}`], [LONG]],
    ['cookies', { Cookie: 'tz=UTC; sid=Kx82-hqPz0' }, ['tz=UTC; sid=Kx82-hqPz0'], ['Kx82-hqPz0']],
    ['a note', { 'x-note': 'not-a-secret' }, [], ['not-a-secret']],
  ])('%s are redacted, and nothing else', async (_name, headers, secrets, shown) => {
    const url = site().serve({ body: { secrets, shown } });
    const { body: answer } = await executor().success({ method: 'GET', url, headers });
    expect(answer).toEqual({ secrets: secrets.map(() => 'REDACTED'), shown });
  });

  it('are redacted in an echo of all request headers', async () => {
    const echo: Handler = ({ headers }, response) =>
      reply(response, {
        headers: { 'x-echo': JSON.stringify(headers) },
        body: { headers, text: JSON.stringify(headers) },
      });
    await using mirror = await startUpstream(echo);
    const headers = { ...basic(SHORT), ...key(LONG), cookie: 'sid=Kx82-hqPz0' };
    const text = await executor().text({ method: 'GET', url: mirror.origin, headers });
    for (const secret of [btoa(`user:${SHORT}`), LONG, 'sid=Kx82-hqPz0'])
      expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({
      body: { headers: { authorization: 'Basic REDACTED', 'x-api-key': 'REDACTED' } },
      redactions: 9,
    });
  });

  it('are redacted only as they are, encoded once, and if they have eight characters', async () => {
    const twice = encodeURIComponent(encodeURIComponent(LONG));
    const texts = [LONG.toUpperCase(), LONG.slice(1), twice, 'abcdefg'];
    const url = site().serve({ body: texts });
    const headers = { ...key(LONG), 'x-auth-token': 'abcdefg' };
    const outcome = await executor().success({ method: 'GET', url, headers });
    expect(outcome.body).toEqual(texts);
    expect(outcome).not.toHaveProperty('redactions');
  });

  it('are at most 16', async () => {
    const send = (count: number) => ({
      method: 'GET',
      url: site().serve({}),
      headers: Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`x-token-${n}`, `secret-${10 + n}`]),
      ),
    });
    await executor().success(send(16));
    const message =
      'must not contain more than 16 credentials; leave out those that the upstream does not need';
    expect(await executor().refusal(send(17))).toMatchObject({
      code: 'InvalidAction',
      violations: [{ pointer: '/headers', message }],
    });
  });
});

it('a body that repeats secrets more than 10,000 times is withheld', async () => {
  const shown = async (times: number, status: number) => {
    const url = site().serve({ status, body: Array(times).fill(LONG) });
    return executor().outcome({ method: 'GET', url, headers: key(LONG) });
  };
  expect(await shown(10_000, 200)).toMatchObject({ outcome: 'success', redactions: 10_000 });
  for (const [status, error] of [
    [200, 'RequestFailed'],
    [404, 'HttpFailure'],
  ] as const) {
    const withheld = await shown(10_001, status);
    const message = expect.stringContaining('echoes credentials more than 10000 times.');
    expect(withheld).toMatchObject({ error, status, message });
    expect(withheld).not.toHaveProperty('body');
  }
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
  const shown = async (headers: Record<string, string>, setup: Setup, sent = {}) => {
    await using own = await startExecutor(setup);
    const url = site().serve({ headers, body: '1' });
    const outcome = await own.success({ method: 'GET', url, headers: sent });
    const { date: _d, connection: _c, 'keep-alive': _k, ...rest } = outcome.headers;
    const { 'transfer-encoding': _t, 'content-length': _l, ...others } = rest;
    return others;
  };
  const named = (names: string) => Object.fromEntries(names.split(' ').map((name) => [name, 'v']));

  it('are masked by name, and settings take precedence', async () => {
    const sent = named('x-mask both set-cookie x-api-key mcp-session-id x-a');
    const rules = { redactedHeaders: ['X-Mask', 'both'], shownHeaders: ['Mcp-Session-Id', 'both'] };
    expect(await shown(sent, rules)).toEqual({
      'x-mask': 'REDACTED',
      both: 'REDACTED',
      'set-cookie': 'REDACTED',
      'x-api-key': 'REDACTED',
      'mcp-session-id': 'v',
      'x-a': 'v',
    });
  });

  it('are limited to a list in strict mode, and redacted', async () => {
    const sent = { ...named('retry-after server x-a set-cookie'), etag: LONG };
    const strict: Setup = { headerMode: 'strict', shownHeaders: ['server'] };
    const safe = { ...named('retry-after server'), etag: 'REDACTED' };
    expect(await shown(sent, strict, key(LONG))).toEqual(safe);
  });
});

const SECRETS: [secret: string, headers: Record<string, string>][] = [
  [LONG, key(LONG)],
  ['s3cr3t/T0ken~Value==', basic('s3cr3t/T0ken~Value==')],
  ['k/3~y-99', key('k/3~y-99')],
  ['sid=Kx82-hqPz0', { cookie: 'sid=Kx82-hqPz0' }],
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

  it('is not shown by violations of the action schema', async () => {
    for (const malformed of [{}, { 'x-auth-token': 5 }, { [secret]: 5 }]) {
      const value = {
        ...action,
        headers: { ...headers, ...malformed },
        [secret]: 1,
        method: secret,
      };
      const { code, message, violations } = await executor().refusal(value);
      expect(code).toBe('InvalidAction');
      expect(violations).toContainEqual({ pointer: '/REDACTED', message: expect.anything() });
      expect(undone(JSON.stringify([message, violations]))).not.toContain(secret);
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

it('limits violations of an action to 20 of 300 characters each', async () => {
  const names = Array.from({ length: 21 }, (_, n) => `${n}(${'p'.repeat(400)}`);
  const long = Object.fromEntries(names.map((name) => [name, '1']));
  for (const malformed of [{ headers: long }, long]) {
    const action = { method: 'GET', url: 'http://127.0.0.1:2/', ...malformed };
    const { violations = [] } = await executor().refusal(action);
    expect(violations).toHaveLength(20);
    for (const { pointer, message } of violations) {
      expect(pointer).toHaveLength(300);
      expect(message.length).toBeLessThanOrEqual(300);
    }
  }
});
