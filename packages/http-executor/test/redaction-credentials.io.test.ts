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

  it('is a secret by its name, whatever its value', async () => {
    const names =
      'session sessionid PHPSESSID JSESSIONID connect.sid sid auth authorization token jwt csrf ' +
      'XSRF-TOKEN secret remember_me password credential ticket api_key api-key apikey';
    for (const name of names.split(' '))
      expect([name, await isSecret(`${name}=plain-value`, 'plain-value')]).toEqual([name, true]);
  });

  it('is hidden inside words if it is long, even if it is the base64 of a short one', async () => {
    const [short, long] = ['abcdefgh1234', btoa('abcdefgh1234')];
    const headers = { cookie: `sid=${short}; token=${long}` };
    const url = site().serve({ body: [`x${short}y`, `x${long}y`] });
    const { body } = await executor().success({ method: 'GET', url, headers });
    expect(body).toEqual([`x${short}y`, 'xREDACTEDy']);
  });

  it('is not a secret if its name only resembles one', async () => {
    for (const name of ['sidebar', 'author', 'residence', 'sessions_seen', 'inside', 'a'])
      expect([name, await isSecret(`${name}=plain-value`, 'plain-value')]).toEqual([name, false]);
  });

  it('is not a secret if it is a preference of up to 24 characters', async () => {
    const names =
      'lang locale i18n tz timezone time-zone time_zone theme color colour font layout currency ' +
      'country region city consent gdpr banner notice prefer prefs sidebar view sort page size ' +
      'width dismiss seen variant experiment';
    const short = 'a1'.repeat(12);
    for (const name of names.split(' '))
      for (const [value, secret] of [
        [short, false],
        [`${short}b`, true],
      ] as const)
        expect([name, await isSecret(`${name}=${value}`, value)]).toEqual([name, secret]);
    for (const name of ['quartz', 'tzar'])
      expect([name, await isSecret(`${name}=abc12345`, 'abc12345')]).toEqual([name, true]);
  });

  it.each<[value: string, secret: boolean]>([
    ['a'.repeat(15), false],
    ['a'.repeat(16), true],
    ['1'.repeat(15), false],
    ['1'.repeat(16), true],
    ['abcdef12', true],
    ['123456ab', true],
    ['12345678', false],
    ['abcdefgh', false],
    ['Europe/Berlin', false],
    ['2026-01-02', false],
    ['abc-def-a1b2c3', true],
    ['abc--123--def', false],
    ['abc12-def', false],
    ['abc123-def', true],
  ])('of another name is a secret if it looks random: %s, %s', async (value, secret) => {
    expect(await isSecret(`x=${value}`, value)).toBe(secret);
  });
});

it('public parameters of a scheme are shown', async () => {
  const names =
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid ' +
    'client_id clientname created credential date device deviceid domain email expires ext headers ' +
    'id iss keyid key_id kid method nc oauth_callback oauth_signature_method oauth_timestamp ' +
    'oauth_version oauth_consumer_id qop realm scope sig_method signature_method ' +
    'signature_version signedheaders t timestamp ts uri user userhash userid user_id username v ' +
    'ver version';
  for (const name of names.split(' '))
    for (const written of [name, name.toUpperCase()]) {
      const authorization = `Scheme ${written}="long-value-1", response="abcdefgh"`;
      const url = site().serve({ body: ['long-value-1', 'abcdefgh'] });
      const action = { method: 'GET', url, headers: { authorization } };
      expect((await executor().success(action)).body, name).toEqual(['long-value-1', 'REDACTED']);
    }
});

it('the account of a signed scheme is shown', async () => {
  const schemes = 'acs aws goog1 hmac obs oss qbox qiniu sharedkey sharedkeylite ucloud';
  for (const scheme of schemes.split(' ')) {
    const headers = { authorization: `${scheme.toUpperCase()} account:abcdefgh` };
    const url = site().serve({ body: ['account', 'abcdefgh'] });
    const { body } = await executor().success({ method: 'GET', url, headers });
    expect(body, scheme).toEqual(['account', 'REDACTED']);
  }
});
