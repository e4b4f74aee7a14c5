import { describe, expect, it } from 'vitest';
import { exchange } from '../support/bare-exchange.ts';
import { scratchFiles } from '../support/files.ts';
import { readProblem } from '../support/server.ts';
import { logged, SERVICES, type Service, sharedService } from '../support/services.ts';

const file = scratchFiles();

const CALLER = 'token-of-a-caller-0123456789';
const METRICS = 'token-of-prometheus-0123456789';
const IN_FILE = 'token-of-prometheus-in-a-file';
const WRONG = 'token-of-a-stranger-0123456789';

const NO_TOKEN = undefined;

async function answerTo(url: string, method: string, path: string, token: string | undefined) {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  };
  const body = method === 'POST' ? '{}' : null;
  const response = await fetch(`${url}${path}`, { method, headers, body });
  if (response.ok || method === 'HEAD') return response.status;
  const { code } = await readProblem(response);
  return `${response.status} ${code}`;
}

/** Sends a request target exactly as written. */
async function statusOfTarget(port: number, target: string, token?: string): Promise<string> {
  const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
  const head = `GET ${target} HTTP/1.1\r\nhost: x\r\n${authorization}connection: close\r\n\r\n`;
  return (await exchange(port, head)).slice(9, 12);
}

const SPELLINGS = [
  '/metrics?x=1',
  '/%6detrics',
  '/metric%73',
  'http://x/metrics',
  'HTTP://x/metrics',
];

const ELSEWHERE = ({ method, path }: Service): [method: string, path: string][] => [
  [method, path],
  [method, `${path}?from=/metrics`],
  ['GET', '/nowhere'],
  ['GET', '/metrics/'],
  ['GET', '/metrics/x'],
  ['GET', '/Metrics'],
  ['POST', '/metrics'],
];

const OPEN = ['/healthz', '/readyz', '/openapi.json', '/docs', '/problems'];

describe.each(SERVICES)('the $name service with a metrics token and API tokens', (service) => {
  const running = sharedService(service, async () => ({
    API_TOKENS: CALLER,
    METRICS_TOKEN: `prometheus:${METRICS}`,
    METRICS_TOKEN_FILE: await file(`${IN_FILE}\n`),
    LOG_LEVEL: 'debug',
  }));

  it.each(['GET', 'HEAD'])('lets either kind of token %s /metrics', async (method) => {
    for (const token of [METRICS, IN_FILE, CALLER])
      expect(await answerTo(running().url, method, '/metrics', token)).toBe(200);
    expect(await answerTo(running().url, 'GET', '/metrics', NO_TOKEN)).toBe('401 Unauthorized');
    expect(await answerTo(running().url, 'GET', '/metrics', WRONG)).toBe('401 Unauthorized');
  });

  it.each(SPELLINGS)('treats %s as /metrics', async (target) => {
    expect(await statusOfTarget(running().port, target, METRICS)).toBe('200');
    expect(await statusOfTarget(running().port, target)).toBe('401');
  });

  it.each(ELSEWHERE(service))('refuses a metrics token at %s %s', async (method, path) => {
    for (const token of [METRICS, IN_FILE])
      expect(await answerTo(running().url, method, path, token)).toBe('403 TokenNotAllowed');
    expect(await answerTo(running().url, method, path, WRONG)).toBe('401 Unauthorized');
    const answer = await answerTo(running().url, method, path, CALLER);
    expect(String(answer)).toMatch(/^(?:200$|400|404|405)/);
  });

  it('refuses a metrics token in a request with a malformed URL', async () => {
    expect(await statusOfTarget(running().port, '/%zz', METRICS)).toBe('403');
    expect(await statusOfTarget(running().port, '/%zz', CALLER)).toBe('400');
  });

  it.each(OPEN)('serves %s, which needs no token, with any token', async (path) => {
    for (const token of [METRICS, WRONG, NO_TOKEN])
      await expect.poll(() => answerTo(running().url, 'GET', path, token)).toBe(200);
  });

  it('logs the name of the token with a warning, and no token', async () => {
    await answerTo(running().url, 'GET', '/somewhere', METRICS);
    await expect
      .poll(() => logged(running(), 'warn'))
      .toContainEqual(
        expect.objectContaining({
          path: '/somewhere',
          status: 403,
          code: 'TokenNotAllowed',
          caller: 'prometheus',
        }),
      );
    await running().stop();
    for (const token of [CALLER, METRICS, IN_FILE, WRONG])
      expect(running().output).not.toContain(token);
  });
});

describe.each(SERVICES)('the $name service with a metrics token alone', (service) => {
  const running = sharedService(service, async () => ({ METRICS_TOKEN: METRICS }));

  it('requires it for /metrics, however the path is written', async () => {
    expect(await answerTo(running().url, 'GET', '/metrics', METRICS)).toBe(200);
    expect(await answerTo(running().url, 'HEAD', '/metrics', NO_TOKEN)).toBe(401);
    for (const token of [NO_TOKEN, WRONG])
      expect(await answerTo(running().url, 'GET', '/metrics', token)).toBe('401 Unauthorized');
    for (const target of SPELLINGS) {
      expect([target, await statusOfTarget(running().port, target)]).toEqual([target, '401']);
      expect(await statusOfTarget(running().port, target, METRICS)).toBe('200');
    }
  });

  it('serves every other path to callers without a token, but not to this token', async () => {
    const { method, path } = service;
    for (const token of [NO_TOKEN, WRONG]) {
      expect(await answerTo(running().url, method, path, token)).toBe(200);
      expect(await answerTo(running().url, 'GET', '/nowhere', token)).toBe('404 NotFound');
    }
    expect(await answerTo(running().url, method, path, METRICS)).toBe('403 TokenNotAllowed');
    expect(await statusOfTarget(running().port, '/%zz')).toBe('400');
  });
});
