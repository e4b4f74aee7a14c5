import { describe, expect, it } from 'vitest';
import { exchange } from '../support/bare-exchange.ts';
import { scratchFiles } from '../support/files.ts';
import { readProblem } from '../support/server.ts';
import { logged, SERVICES, sharedService } from '../support/services.ts';

const file = scratchFiles();

const FIRST = 'first-token-0123456789';
const SECOND = 'second/token+with.all~kinds_of-signs==';
const SHORT = 's3cr3t';
const IN_FILE = 'token-in-a-file-0123456789';
const LAST_IN_FILE = 'last-token-in-the-file-0123456789';
const NAMED = 'named-token-0123456789';
const TOKENS = [NAMED, FIRST, SECOND, SHORT, IN_FILE, LAST_IN_FILE];

const ASKED = 'Bearer realm="gatehouse"';
const REFUSED = 'Bearer realm="gatehouse", error="invalid_token"';

const RIGHT: [name: string, authorization: string][] = [
  ['the first token', `Bearer ${FIRST}`],
  ['the second token', `Bearer ${SECOND}`],
  ['a short token', `Bearer ${SHORT}`],
  ['a token in the file', `Bearer ${IN_FILE}`],
  ['the last token in the file', `Bearer ${LAST_IN_FILE}`],
  ['the scheme in lower case', `bearer ${FIRST}`],
  ['the scheme in upper case and two spaces', `BEARER  ${FIRST}`],
];

const WRONG: [name: string, authorization: string | undefined, challenge: string][] = [
  ['no header', undefined, ASKED],
  ['an empty header', '', ASKED],
  ['no token', 'Bearer', ASKED],
  ['a token without a scheme', FIRST, ASKED],
  ['a wrong scheme', `Basic ${btoa(`user:${FIRST}`)}`, ASKED],
  ['a valid token with a wrong scheme', `Token ${FIRST}`, ASKED],
  ['a scheme that starts with Bearer', `BearerX ${FIRST}`, ASKED],
  ['a wrong token', 'Bearer wrong-token-0123456789', REFUSED],
  ['a wrong token of the right length', `Bearer ${'x'.repeat(FIRST.length)}`, REFUSED],
  ['a token without its last character', `Bearer ${FIRST.slice(0, -1)}`, REFUSED],
  ['a token with an extra character', `Bearer ${FIRST}0`, REFUSED],
  ['a token with a different last character', `Bearer ${FIRST.slice(0, -1)}0`, REFUSED],
  ['the longest token with an extra character', `Bearer ${SECOND}=`, REFUSED],
  [
    'the longest token with 4,000 extra characters',
    `Bearer ${SECOND}${'='.repeat(4_000)}`,
    REFUSED,
  ],
  ['a token in upper case', `Bearer ${FIRST.toUpperCase()}`, REFUSED],
  ['two tokens with a comma', `Bearer ${FIRST},${SECOND}`, REFUSED],
  ['two tokens with a space', `Bearer ${FIRST} ${SECOND}`, ASKED],
  [
    'the start of a token, after a token has been accepted',
    `Bearer ${SECOND.slice(0, 6)}`,
    REFUSED,
  ],
];

describe.each(SERVICES)('the $name service with API tokens', (service) => {
  const running = sharedService(service, async () => ({
    API_TOKENS: ` ${FIRST}, ${SECOND},${SHORT},planner-1:${NAMED}`,
    API_TOKENS_FILE: await file(`${IN_FILE}\r\n\nother-token-0123456789,${LAST_IN_FILE}\n`),
    LOG_LEVEL: 'trace',
  }));
  const answers: string[] = [];

  const requests: [name: string, method: string, path: string, status: number][] = [
    ['the operation', service.method, service.path, 200],
    ['the operation with a query', service.method, `${service.path}?explain=true`, 200],
    ['the metrics', 'GET', '/metrics', 200],
    ['a wrong method', 'DELETE', service.path, 405],
    ['an unknown path', 'GET', '/nowhere', 404],
    ['the health path with a slash', 'GET', '/healthz/', 404],
  ];

  async function ask(
    method: string,
    path: string,
    authorization: string | undefined,
  ): Promise<Response> {
    const headers = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    };
    const body = method === 'POST' ? (service.body ?? null) : null;
    const response = await fetch(`${running().url}${path}`, { method, headers, body });
    answers.push(JSON.stringify([...response.headers]), await response.clone().text());
    return response;
  }

  it.each(requests)('answers %s only with a valid token', async (_name, ...request) => {
    const [method, path, status] = request;
    for (const [caller, authorization] of RIGHT) {
      const response = await ask(method, path, authorization);
      expect(response.status, caller).toBe(status);
      expect(response.headers.has('www-authenticate'), caller).toBe(false);
    }
    for (const [caller, authorization, challenge] of WRONG) {
      const response = await ask(method, path, authorization);
      const problem = await readProblem(response);
      const type = '/problems/unauthorized';
      expect(problem, caller).toMatchObject({ status: 401, code: 'Unauthorized', type });
      expect(response.headers.get('www-authenticate'), caller).toBe(challenge);
      expect(response.headers.has('allow'), caller).toBe(false);
      expect(JSON.stringify(problem), caller).not.toContain(service.path);
    }
  });

  it('logs the remote address only for a 401', async () => {
    await expect
      .poll(() => logged(running(), 'info').filter(({ code }) => code === 'Unauthorized'))
      .toContainEqual(expect.objectContaining({ status: 401, remote: '127.0.0.1' }));
    for (const { status, remote } of logged(running(), 'info'))
      expect(remote).toBe(status === 401 ? '127.0.0.1' : undefined);
  });

  it('serves health and static pages without a token', async () => {
    const open = [
      ...['/healthz', '/readyz', '/healthz?from=compose', '/docs', '/docs/static/swagger-ui.css'],
      ...['/openapi.json', '/problems', '/problems/not-found'],
    ];
    for (const authorization of [undefined, `Bearer ${FIRST}`, 'Bearer wrong']) {
      for (const path of open)
        expect((await ask('GET', path, authorization)).status, path).toBe(200);
      expect((await ask('HEAD', '/healthz', authorization)).status).toBe(200);
    }
  });

  it('reports a malformed URL only to callers with a valid token', async () => {
    for (const [header, status] of [
      ['', 401],
      ['authorization: Bearer wrong\r\n', 401],
      [`authorization: Bearer ${FIRST}\r\n`, 400],
    ] as const) {
      const bytes = `GET /%zz HTTP/1.1\r\nhost: a\r\n${header}connection: close\r\n\r\n`;
      const answer = await exchange(running().port, bytes);
      answers.push(answer);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer.includes('www-authenticate: Bearer realm="gatehouse"')).toBe(status === 401);
    }
  });

  it('checks the caller before the body', async () => {
    const response = await fetch(`${running().url}${service.path}`, { method: 'POST', body: '{' });
    expect(response.status).toBe(401);
  });

  it('names the caller in log lines and metrics if the token has a name', async () => {
    const ask1 = (path: string, token?: string) =>
      ask(path === service.path ? service.method : 'GET', path, token && `Bearer ${token}`);
    for (const path of [service.path, '/nobody', '/healthz']) await ask1(path, NAMED);
    await ask1('/without-a-name', FIRST);
    await ask1('/without-a-token');
    const metrics = await (await ask1('/metrics', NAMED)).text();
    const callers = metrics
      .split('\n')
      .filter((line) => line.startsWith('caller_requests_total{caller="planner-1"'));
    expect(callers).toEqual([
      'caller_requests_total{caller="planner-1",http_response_status_code="200"} 2',
      'caller_requests_total{caller="planner-1",http_response_status_code="404"} 1',
    ]);
    const callerAt = (path: string) =>
      running()
        .lines()
        .findLast((line) => line.path === path)?.caller;
    await expect.poll(() => callerAt('/metrics')).toBe('planner-1');
    for (const path of [service.path, '/nobody', '/healthz'])
      expect(callerAt(path)).toBe('planner-1');
    for (const path of ['/without-a-name', '/without-a-token'])
      expect(callerAt(path)).toBeUndefined();
  });

  it('ignores a token in the query and does not log it', async () => {
    const response = await ask(service.method, `${service.path}?access_token=${FIRST}`, undefined);
    expect(response.status).toBe(401);
  });

  it('never shows a token in a response or in its log', async () => {
    expect(logged(running(), 'warn')).toMatchObject([
      { msg: expect.stringContaining('1 of 7 tokens have fewer than 16 characters') },
    ]);
    expect(await running().stop()).toEqual({ code: 0, signal: null });
    const shown = [running().output, ...answers].join('\n');
    expect(shown).toContain('/nowhere');
    for (const token of TOKENS) expect(shown).not.toContain(token);
    for (const token of TOKENS) expect(shown).not.toContain(btoa(token).slice(0, 7));
  });
});
