import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { MASKED_NAMES, SHOWN_NAMES } from './support/header-names.ts';
import { startSite } from './support/site.ts';

// Contract section 3, "Redaction: headers".

const executor = shared(startExecutor);
const site = shared(startSite);

const shownValue = (index: number) => `value-${index}-of-upstream`;
const headersOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, shownValue(index)]));
const spellings = (names: readonly string[]) => [
  names,
  names.map((name) => name.toUpperCase()),
  names.map((name) => name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())),
];

const responseHeaders = async (names: readonly string[], status: number) => {
  const url = site().serve({ status, headers: headersOf(names), body: '{}' });
  const outcome = await executor().outcome({ method: 'POST', url });
  return outcome.headers ?? {};
};

describe('response headers', () => {
  it.each([200, 404, 500])('that carry credentials show as REDACTED, of a %i', async (status) => {
    for (const names of spellings(MASKED_NAMES)) {
      const headers = await responseHeaders(names, status);
      expect(names.filter((name) => headers[name.toLowerCase()] !== 'REDACTED')).toEqual([]);
    }
  });

  it.each([200, 404, 500])('that count, page or allow are shown, of a %i', async (status) => {
    for (const names of spellings(SHOWN_NAMES)) {
      const headers = await responseHeaders(names, status);
      const wrong = names.filter(
        (name, index) => headers[name.toLowerCase()] !== shownValue(index),
      );
      expect(wrong).toEqual([]);
    }
  });

  it('with _ for - are masked alike', async () => {
    const names = ['x_api_key', 'access_token', 'x_session_token', 'client_secret', 'x_auth_token'];
    const headers = await responseHeaders(names, 200);
    expect(headers).toMatchObject(Object.fromEntries(names.map((name) => [name, 'REDACTED'])));
  });

  it('that repeat are masked or shown one by one', async () => {
    const reply = {
      headers: { 'set-cookie': ['a=1', 'b=2'], 'x-ratelimit-remaining-tokens': ['7', '8'] },
    };
    const { headers } = await executor().success({ method: 'GET', url: site().serve(reply) });
    expect([headers['set-cookie']].flat().every((value) => value === 'REDACTED')).toBe(true);
    expect([headers['x-ratelimit-remaining-tokens']].flat().join(', ')).toBe('7, 8');
  });
});

const SECRET = 'Zq7-pX2vK9mW4tR8yB1n';

describe('request headers', () => {
  it('that carry credentials are scrubbed where they are echoed', async () => {
    const names = MASKED_NAMES.filter((name) => !/^(?:proxy-|set-)/.test(name));
    const shown: string[] = [];
    for (const name of names) {
      const url = site().serve({ headers: { 'x-echo': SECRET }, body: { got: SECRET } });
      const value = name === 'cookie' ? `sid=${SECRET}` : SECRET;
      const outcome = await executor().success({ method: 'GET', url, headers: { [name]: value } });
      if (JSON.stringify(outcome).includes(SECRET) || outcome.redactions !== 2) shown.push(name);
    }
    expect(shown).toEqual([]);
  });

  it('that count, page or allow are no secrets', async () => {
    const damaged: string[] = [];
    for (const name of SHOWN_NAMES) {
      const url = site().serve({ headers: { 'x-echo': SECRET }, body: { got: SECRET } });
      const outcome = await executor().success({ method: 'GET', url, headers: { [name]: SECRET } });
      if (JSON.stringify(outcome).includes('REDACTED') || outcome.redactions !== undefined)
        damaged.push(name);
    }
    expect(damaged).toEqual([]);
  });
});

describe('HTTP_EXECUTOR_SHOWN_HEADERS', () => {
  const shows = shared(() =>
    startExecutor({
      env: {
        HTTP_EXECUTOR_SHOWN_HEADERS: 'Mcp-Session-Id, x-csrf-token',
        HTTP_EXECUTOR_REDACTED_HEADERS: 'x-internal',
      },
    }),
  );
  const answer = {
    'MCP-Session-Id': 'session-1868a90c',
    'x-csrf-token': 'csrf-77aZ',
    'x-auth-token': 'a',
    'x-internal': 'b',
  };

  it('is what shows a session id', async () => {
    const { headers } = await executor().success({
      method: 'GET',
      url: site().serve({ headers: answer }),
    });
    expect(headers).toMatchObject({
      'mcp-session-id': 'REDACTED',
      'x-csrf-token': 'REDACTED',
      'x-auth-token': 'REDACTED',
    });
  });

  it('shows its headers in any case, and no other', async () => {
    const { headers } = await shows().success({
      method: 'GET',
      url: site().serve({ headers: answer }),
    });
    expect(headers).toMatchObject({
      'mcp-session-id': 'session-1868a90c',
      'x-csrf-token': 'csrf-77aZ',
      'x-auth-token': 'REDACTED',
      'x-internal': 'REDACTED',
    });
  });

  it('shows them also where the action sends the same', async () => {
    const url = site().serve({ headers: answer, body: { session: 'session-1868a90c' } });
    const outcome = await shows().success({
      method: 'GET',
      url,
      headers: { 'mcp-session-id': 'session-1868a90c' },
    });
    expect(outcome).toMatchObject({
      headers: { 'mcp-session-id': 'session-1868a90c' },
      body: { session: 'session-1868a90c' },
    });
    expect(outcome).not.toHaveProperty('redactions');
  });

  it('does not show another credential that is in one of them', async () => {
    const url = site().serve({ headers: { 'mcp-session-id': `for ${SECRET}` } });
    const { headers } = await shows().success({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${SECRET}` },
    });
    expect(headers).toMatchObject({ 'mcp-session-id': 'for REDACTED' });
  });
});
