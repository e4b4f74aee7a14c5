import type { Method } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import { type Hop, MAX_REDIRECTS, nextHop } from '../src/attempt/redirect.ts';
import { requestTo, sandbox } from './support/stages.ts';

const URL_A = 'https://a.test/from';
const headers = new Map([
  ['accept', '*/*'],
  ['accept-encoding', 'gzip'],
  ['accept-language', 'de'],
  ['cache-control', 'no-cache'],
  ['content-type', 'a/b'],
  ['traceparent', '1'],
  ['tracestate', '2'],
  ['user-agent', 'me'],
  ['authorization', 'Bearer a'],
  ['cookie', 'a=b'],
  ['x-other', 'c'],
]);

interface Setup {
  readonly url?: string;
  readonly method?: Method;
  readonly body?: string;
  readonly status?: number;
  readonly asked?: string[];
}

function hop(location: string | string[] | undefined, setup: Setup = {}): Hop | undefined {
  const { url = URL_A, method = 'GET', body, status = 302, asked = [url] } = setup;
  const request = requestTo(url, { method, body, headers });
  const response = { status, headers: location === undefined ? {} : { location } };
  return nextHop(
    request,
    response,
    asked.map((each) => requestTo(each, { method })),
    sandbox,
  );
}
const reason = (...args: Parameters<typeof hop>) => {
  const next = hop(...args);
  return next?.kind === 'stop' ? next.reason : next;
};
const followed = (...args: Parameters<typeof hop>) => {
  const next = hop(...args);
  if (next?.kind !== 'follow') throw new Error(`not followed: ${JSON.stringify(next)}`);
  return next.request;
};

describe('nextHop', () => {
  it('follows 301, 302, 303, 307 and 308 alone', () => {
    const statuses = Array.from({ length: 20 }, (_, n) => 299 + n);
    expect(statuses.filter((status) => hop('/to', { status }) !== undefined)).toEqual([
      301, 302, 303, 307, 308,
    ]);
  });

  it.each<[name: string, location: string | string[] | undefined, setup: Setup, reason: string]>([
    ['no location', undefined, {}, 'it has no location, or several.'],
    ['an empty location', '', {}, 'it has no location, or several.'],
    ['two locations', ['/a', '/b'], {}, 'it has no location, or several.'],
    [
      'a malformed location',
      'https://u@a.test/',
      {},
      'its location must not hold credentials; send them as a header.',
    ],
    [
      'a sixth redirect',
      '/to',
      { asked: ['1', '2', '3', '4', '5', '6'].map((p) => `${URL_A}${p}`) },
      'it is more than 5 redirects.',
    ],
    [
      'a host that is not listed',
      'https://c.test/',
      {},
      'The host `c.test` is not on the allowlist; an operator would have to add it to THE_HOSTS. Other spellings or routes will not help.',
    ],
    ['https to http of one host', 'http://a.test/to', {}, 'it leads from https to http.'],
    [
      'https to http, to itself',
      'http://a.test/from',
      { asked: [URL_A, 'http://a.test/from'] },
      'it leads from https to http.',
    ],
    ['itself', '/from', {}, 'it leads back to where GET was sent already.'],
    ['itself with a fragment', '/from#x', {}, 'it leads back to where GET was sent already.'],
    [
      'an earlier request',
      '/first',
      { asked: ['https://a.test/first', URL_A] },
      'it leads back to where GET was sent already.',
    ],
    [
      'a body to another origin',
      'https://b.test/',
      { method: 'PUT', body: 'x' },
      'it would send the body to another origin.',
    ],
    [
      'a body to another port',
      'https://a.test:8443/',
      { method: 'POST', body: 'x', status: 307 },
      'it would send the body to another origin.',
    ],
  ])('stops at %s', (_name, location, setup, expected) => {
    expect(reason(location, setup)).toBe(expected);
  });

  it('stops at the malformed location before the sixth redirect, and there before the sandbox', () => {
    const asked = Array.from({ length: 6 }, (_, n) => `${URL_A}${n}`);
    expect(reason('', { asked })).toMatch(/^it has no location/);
    expect(reason('https://c.test/', { asked })).toMatch(/^it is more than 5/);
  });

  it('follows the fifth redirect', () => {
    const asked = Array.from({ length: MAX_REDIRECTS }, (_, n) => `${URL_A}${n}`);
    expect(followed('/to', { asked }).url.href).toBe('https://a.test/to');
  });

  it.each([
    ['another query', '/from?x', 'https://a.test/from?x'],
    ['http to https', 'https://a.test/from', 'https://a.test/from', 'http://a.test/from'],
    ['http to http', 'http://a.test/to', 'http://a.test/to', 'http://a.test/from'],
  ])('follows to %s', (_name, location, href, url = URL_A) => {
    expect(followed(location, { url }).url.href).toBe(href);
  });

  it('keeps all headers and the body within the origin', () => {
    const next = followed('/to', { method: 'PUT', body: 'x', status: 307 });
    expect(next).toMatchObject({ method: 'PUT', body: 'x' });
    expect([...next.headers.keys()]).toEqual([...headers.keys()]);
  });

  it.each([
    ['another host', 'https://b.test/'],
    ['another port', 'https://a.test:8443/'],
  ])('takes only safe headers to %s', (_name, location) => {
    expect([...followed(location).headers.keys()]).toEqual([
      'accept',
      'accept-encoding',
      'accept-language',
      'cache-control',
      'content-type',
      'traceparent',
      'tracestate',
      'user-agent',
    ]);
  });

  it('drops credentials from http to https of one host', () => {
    expect(
      followed('https://a.test/to', { url: 'http://a.test/from' }).headers.has('authorization'),
    ).toBe(false);
  });

  it('rewrites the method as the Fetch standard does', () => {
    const methods: Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    const rewritten = [301, 302, 303, 307, 308].map((status) =>
      methods
        .map((method) => followed('/to', { method, status, body: 'x' }))
        .map(({ method, body, headers: sent }, n) => {
          const changed = method !== methods[n];
          const isHead = status === 303 && (methods[n] === 'GET' || methods[n] === 'HEAD');
          if (!isHead) {
            expect(body).toBe(changed || status === 303 ? undefined : 'x');
            expect(sent.has('content-type')).toBe(body !== undefined);
          }
          expect(sent.has('authorization')).toBe(true);
          return method;
        })
        .join(' '),
    );
    const kept = methods.join(' ');
    const post = 'GET HEAD GET PUT PATCH DELETE OPTIONS';
    expect(rewritten).toEqual([post, post, 'GET HEAD GET GET GET GET GET', kept, kept]);
  });

  it('303 leaves GET and HEAD as they are', () => {
    for (const method of ['GET', 'HEAD'] as const) {
      const next = followed('/to', { method, status: 303, body: 'x' });
      expect(next).toMatchObject({ method, body: 'x' });
      expect(next.headers.has('content-type')).toBe(true);
    }
  });

  it('a redirect that became GET leads back to no POST', () => {
    expect(followed('/from', { method: 'POST', body: 'x', status: 303 }).method).toBe('GET');
  });
});
