import { type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { CREDENTIALS } from './support/credentials.ts';
import { startExecutor } from './support/executor.ts';
import { startSite } from './support/site.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

/**
 * Ways in which upstreams echo a value. It stands alone in each, because short secrets are redacted
 * only as whole words.
 */
const CONTEXTS: ((echo: string) => string)[] = [
  (echo) => echo,
  (echo) => `got ${echo}.`,
  (echo) => `<${echo}>`,
  (echo) => `"${echo}"`,
  (echo) => `/v1/${echo}/x`,
  (echo) => `a=${echo}&b=1`,
  (echo) => `user:${echo}@host`,
];
const NUMBERS = { count: 123456, id: 1712345678, ratio: 0.5, none: null, yes: true };

const shown = (echo: string, index: number) => ({
  contexts: CONTEXTS.map((write) => write(echo)),
  [`key ${index} ${echo}`]: { list: [index, echo] },
});
const documentOf = (secrets: readonly string[], plain: readonly string[]) => ({
  before: NUMBERS,
  plain: plain.map(shown),
  secrets: secrets.map(shown),
  after: NUMBERS,
});
const pageOf = (echo: string) => `<p title="${echo}">No ${echo}: ${echo}.</p>`;
const headersOf = (echoes: readonly string[], name: string) =>
  Object.fromEntries(echoes.map((echo, index) => [`x-${name}-${index}`, `got ${echo}, so`]));
/** Converts header values to UTF-8, and writes each byte as one character. */
const bytes = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  );

const redactions = (count: number) => (count === 0 ? undefined : count);

// docs/contract.md, "Redaction".
describe('only the secrets of each credential are redacted', () => {
  it('in JSON, and in response headers', async () => {
    for (const { name, headers, secrets, plain } of CREDENTIALS) {
      const hidden = secrets.map(() => 'REDACTED');
      const url = site().serve({
        body: documentOf(secrets, plain),
        headers: bytes({ ...headersOf(plain, 'shown'), ...headersOf(secrets, 'hidden') }),
      });
      const outcome = await executor().success({ method: 'GET', url, headers });
      expect(outcome.body, name).toEqual(documentOf(hidden, plain));
      const expected = { ...headersOf(plain, 'shown'), ...headersOf(hidden, 'hidden') };
      expect(outcome.headers, name).toMatchObject(expected);
      const perSecret = CONTEXTS.length + 2 + 1;
      expect(outcome.redactions, name).toBe(redactions(secrets.length * perSecret));
    }
  });

  it('in an error page', async () => {
    for (const { name, headers, secrets, plain } of CREDENTIALS)
      for (const echo of [...secrets, ...plain]) {
        const url = site().serve({ status: 404, body: pageOf(echo) });
        const { body } = await executor().failure({ method: 'GET', url, headers });
        expect(body, name).toBe(pageOf(secrets.includes(echo) ? 'REDACTED' : echo));
      }
  });

  it('in an echo of all request headers', async () => {
    const echo: Handler = (request, response) =>
      reply(response, {
        headers: { 'x-echo': JSON.stringify(request.headers) },
        body: { headers: request.headers, text: JSON.stringify(request.headers) },
      });
    await using mirror = await startUpstream(echo);
    for (const { name, headers, secrets } of CREDENTIALS) {
      const text = await executor().text({ method: 'GET', url: mirror.origin, headers });
      for (const secret of secrets) expect(text, name).not.toContain(secret);
      const names = Object.keys(headers).map((each) => each.toLowerCase());
      expect(Object.keys(JSON.parse(text).body.headers), name).toEqual(
        expect.arrayContaining(names),
      );
    }
  });
});

describe('a cookie', () => {
  /** True if the echo of the value is redacted. */
  const isSecret = async (cookie: string, value: string) => {
    const url = site().serve({ body: [value] });
    const { body } = await executor().success({ method: 'GET', url, headers: { cookie } });
    return JSON.stringify(body) === '["REDACTED"]';
  };

  const PREFERENCE = 'a1'.repeat(12);

  it.each<[names: string, value: string, secret: boolean]>([
    [
      'session sessionid PHPSESSID JSESSIONID connect.sid sid auth authorization token jwt csrf ' +
        'XSRF-TOKEN secret remember_me password credential ticket api_key api-key apikey',
      'plain-value',
      true,
    ],
    ['sidebar author residence sessions_seen inside a', 'plain-value', false],
    ['lang tz timezone time_zone theme colour currency consent prefs view page', PREFERENCE, false],
    ['lang tz timezone time_zone theme colour currency', `${PREFERENCE}b`, true],
    ['quartz tzar', 'abc12345', true],
    ['username user_name account_id email', 'janedoe1985', false],
    ['user login cart', 'janedoe1985', true],
  ])('named %s with the value %s is a secret: %s', async (names, value, secret) => {
    for (const name of names.split(' '))
      expect([name, await isSecret(`${name}=${value}`, value)]).toEqual([name, secret]);
  });

  it('is hidden inside words if it is long, even if it is the base64 of a short one', async () => {
    const [short, long] = ['abcdefgh1234', btoa('abcdefgh1234')];
    const headers = { cookie: `sid=${short}; token=${long}` };
    const url = site().serve({ body: [`x${short}y`, `x${long}y`] });
    const { body } = await executor().success({ method: 'GET', url, headers });
    expect(body).toEqual([`x${short}y`, 'xREDACTEDy']);
  });

  const random = ['a'.repeat(16), '1'.repeat(16), 'abcdef12', '123456ab'];
  const shown = [
    'a'.repeat(15),
    '1'.repeat(15),
    '12345678',
    'abcdefgh',
    'Europe/Berlin',
    '2026-01-02',
  ];
  it.each([
    ...[...random, 'abc-def-a1b2c3', 'abc123-def'].map((value) => ({ value, secret: true })),
    ...[...shown, 'abc--123--def', 'abc12-def'].map((value) => ({ value, secret: false })),
  ])(
    'of another name is a secret if it looks random: $value, $secret',
    async ({ value, secret }) => {
      expect(await isSecret(`x=${value}`, value)).toBe(secret);
    },
  );
});
