import { describe, expect, it } from 'vitest';
import { readProblem } from '../support/server.ts';
import { SERVICES, sharedService } from '../support/services.ts';

const PAGE = 'https://app.example.com';
const OTHER_PAGE = 'http://localhost:5173';
const TOKEN = 'token-0123456789abcdef';

/** Headers that browsers act on. */
const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const wordsOf = (text: string | null) => text?.split(', ').sort();

const STRANGERS: [name: string, origin: string][] = [
  ['another host', 'https://evil.example.com'],
  ['a host with the same prefix', `${PAGE}.evil.test`],
  ['a subdomain', 'https://x.app.example.com'],
  ['another scheme', 'http://app.example.com'],
  ['another port', `${PAGE}:8443`],
  ['a host in upper case', 'https://APP.example.com'],
  ['a trailing slash', `${PAGE}/`],
  ['null', 'null'],
  ['two origins', `${PAGE} ${OTHER_PAGE}`],
  ['an empty origin', ''],
];

describe.each(SERVICES)('the $name service with CORS origins', (service) => {
  const running = sharedService(service, async () => ({
    CORS_ORIGINS: `${PAGE},${OTHER_PAGE}`,
    API_TOKENS: TOKEN,
  }));
  const ask = (path: string, init: RequestInit & { headers: Record<string, string> }) =>
    fetch(`${running().url}${path}`, init);
  const preflight = (path: string, origin: string) =>
    ask(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it.each([PAGE, OTHER_PAGE])('answers a preflight of %s without a token', async (origin) => {
    const response = await preflight(service.path, origin);
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 204,
      text: '',
    });
    const { headers } = response;
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(wordsOf(headers.get('access-control-allow-methods'))).toEqual(['GET', 'HEAD', 'POST']);
    expect(wordsOf(headers.get('access-control-allow-headers'))).toEqual([
      'authorization',
      'content-type',
      'idempotency-key',
      'traceparent',
      'tracestate',
      'x-gatehouse-decision',
      'x-request-id',
    ]);
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.get('x-request-id')).toMatch(/./);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('does not reveal in a preflight which paths exist', async () => {
    const [there, nowhere] = [
      await preflight(service.path, PAGE),
      await preflight('/nowhere', PAGE),
    ];
    const headersOf = ({ headers }: Response) =>
      [...headers].filter(([name]) => !/^(date|x-request-id)$/.test(name));
    expect(nowhere.status).toBe(there.status);
    expect(headersOf(nowhere)).toEqual(headersOf(there));
  });

  it.each([
    ['a success', '/problems/not-found', `Bearer ${TOKEN}`, 200],
    ['a problem', '/nowhere', `Bearer ${TOKEN}`, 404],
    ['a 401', '/nowhere', 'Bearer wrong', 401],
    ['health', '/healthz', '', 200],
  ])('lets the page read %s', async (_name, path, authorization, status) => {
    const response = await ask(path, { headers: { origin: PAGE, authorization } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(wordsOf(response.headers.get('access-control-expose-headers'))).toEqual([
      'idempotent-replayed',
      'retry-after',
      'x-policy-digest',
      'x-request-id',
    ]);
    expect(response.headers.get('vary')).toMatch(/^Origin\b/);
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it.each(STRANGERS)(
    'sends no CORS header to %s, and its preflight needs a token',
    async (_name, origin) => {
      const refused = await preflight(service.path, origin);
      expect(corsOf(refused)).toEqual([]);
      expect(await readProblem(refused)).toMatchObject({ status: 401 });
      const response = await ask('/healthz', { headers: { origin } });
      expect(corsOf(response)).toEqual([]);
      expect(response.headers.get('vary')).toBe('Origin');
    },
  );

  it('sends no CORS header without an origin', async () => {
    const response = await ask('/healthz', { headers: {} });
    expect(corsOf(response)).toEqual([]);
    expect(response.headers.get('vary')).toBe('Origin');
  });

  it('answers an OPTIONS that is not a preflight with 405', async () => {
    const response = await ask(service.path, {
      method: 'OPTIONS',
      headers: { origin: PAGE, authorization: `Bearer ${TOKEN}` },
    });
    expect(await readProblem(response)).toMatchObject({ status: 405, code: 'MethodNotAllowed' });
    expect(wordsOf(response.headers.get('allow'))).toEqual(wordsOf(service.allow));
  });
});

describe.each(SERVICES)('the $name service without CORS origins', (service) => {
  const running = sharedService(service, async () => ({}));

  it('sends no CORS header and answers a preflight with 405', async () => {
    const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
    const response = await fetch(`${running().url}${service.path}`, { method: 'OPTIONS', headers });
    expect([response.status, ...corsOf(response)]).toEqual([405]);
    expect(response.headers.has('vary')).toBe(false);
    expect(corsOf(await fetch(`${running().url}/healthz`, { headers: { origin: PAGE } }))).toEqual(
      [],
    );
  });
});
