import { freePort, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

const EVENT = 'executor_http.retry';

const service = shared(startProcess);

/** Executes an action with a new request id. Returns its log lines. */
async function logOf(action: object, id: string): Promise<Record<string, unknown>[]> {
  const lines = () =>
    service()
      .lines()
      .filter(({ request_id }) => request_id === id);
  await service().execute(action, { headers: { 'x-request-id': id } });
  await expect.poll(lines).toContainEqual(expect.objectContaining({ path: '/execute' }));
  return lines();
}

const retries = (lines: Record<string, unknown>[]) =>
  lines.filter((line) => Object.values(line).includes(EVENT));

describe('the telemetry event of a retry', () => {
  it('is one log line per retry, with the request id of the caller', async () => {
    await using upstream = await startUpstream({ status: 503 });
    const lines = await logOf(
      { method: 'GET', url: `${upstream.origin}/path?token=in-the-query` },
      'r-1',
    );
    const { host } = new URL(upstream.origin);
    const common = { level: 'warn', host, method: 'GET', classification: 'status', status: 503 };
    expect(retries(lines)).toEqual([
      expect.objectContaining({ ...common, attempt: 1 }),
      expect.objectContaining({ ...common, attempt: 2 }),
    ]);
    expect(lines.at(-1)).toMatchObject({
      msg: 'execution',
      upstream: { method: 'GET', host, path: '/path', status: 503 },
      error: 'RetriesExhausted',
      attempts: 3,
    });
    for (const line of lines) expect(line).not.toHaveProperty('trace_id');
  });

  it('has no `status` without a response, and the line of the execution says why', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const all = await logOf({ method: 'PUT', url, body: {} }, 'r-2');
    const reason = expect.stringContaining('the connection was refused');
    expect(all).toContainEqual(expect.objectContaining({ error: 'RetriesExhausted', reason }));
    const lines = retries(all);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatchObject({
        classification: 'connect',
        method: 'PUT',
        host: new URL(url).host,
      });
      expect(line).not.toHaveProperty('status');
    }
  });
});

const SECRETS = {
  authorization: 'Bearer s3cr3t-bearer',
  cookie: 'sid=s3cr3t-cookie',
  'x-api-key': 's3cr3t-key',
  'x-internal': 's3cr3t-internal',
};

it('the log has no secrets at any level, whatever the upstream answers', async () => {
  const echo = {
    body: { echo: SECRETS },
    headers: { 'x-echo': SECRETS.authorization, 'set-cookie': 'sid=s3cr3t-set' },
  };
  await using upstream = await startUpstream([
    { status: 503, ...echo },
    { status: 401, ...echo },
    echo,
    { body: '<s3cr3t' },
  ]);
  const env = { LOG_LEVEL: 'trace', HTTP_EXECUTOR_REDACTED_HEADERS: 'x-internal' };
  await using own = await startProcess(env);
  const action = {
    method: 'GET',
    url: `${upstream.origin}/p?key=s3cr3t-query`,
    headers: SECRETS,
    body: 's3cr3t-body',
  };
  await own.failure(action);
  await own.success(action);
  await own.failure(action);
  await own.problem({ ...action, url: upstream.origin.replace('//', '//me:s3cr3t-user@') });
  await own.problem({ ...action, url: 'http://elsewhere.test/?s3cr3t-query' });
  await own.problem({ ...action, headers: { ...SECRETS, 'x-bad': 's3cr3t\n' } });
  await own.problem({ ...action, response_schema: { type: 's3cr3t-schema' } });
  const withQuery = await fetch(`${own.url}/sandbox?s3cr3t-query`, { headers: SECRETS });
  expect(withQuery.status).toBe(200);
  await expect.poll(() => own.lines().some(({ path }) => path === '/sandbox')).toBe(true);
  expect(own.lines().filter(({ code }) => code === 'HostNotAllowed')).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'request', status: 403 }),
  ]);
  expect(own.output).not.toMatch(/s3cr3t/);
});
