import http from 'node:http';
import { text } from 'node:stream/consumers';
import { runToExit, startUpstream } from '@gatehouse/testing';
import { describe, it } from 'vitest';
import { startProcess } from './support/process.ts';

const BAD_SETTINGS: Record<string, [value: string, accepted: RegExp]> = {
  HTTP_EXECUTOR_BIND_ADDR: ['8092', /host:port/],
  HTTP_EXECUTOR_ALLOWED_HOSTS: ['http://a.test', /`http:\/\/a\.test`.*host:port/],
  HTTP_EXECUTOR_ALLOWED_NETWORKS: ['10.0.0.0', /`10\.0\.0\.0`.*CIDR/],
  HTTP_EXECUTOR_UPSTREAM_CA_FILE: [
    '/nowhere/ca.crt',
    /must name a file that can be read \(ENOENT\)/,
  ],
  HTTP_EXECUTOR_REDACTED_HEADERS: ['x y', /x y.*header names/],
  HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: ['15s', /whole number from 1 to/],
  HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: ['0', /whole number from 1 to/],
  HTTP_EXECUTOR_MAX_REQUEST_BYTES: ['-1', /whole number from 1 to/],
  HTTP_EXECUTOR_MAX_RESPONSE_BYTES: ['1.5', /whole number from 1 to/],
  LOG_LEVEL: ['loud', /one of trace, debug, info, warn, error, fatal, silent/],
  SHUTDOWN_GRACE_MS: ['', /whole number from 0 to/],
};

/** Sends an action over a new connection, optionally with keep-alive. */
function post(url: string, action: object, keepAlive: boolean): Promise<string> {
  const agent = new http.Agent({ keepAlive });
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}/execute`,
      { method: 'POST', agent, headers },
      (response) => {
        resolve(text(response));
      },
    );
    request.on('error', reject).end(JSON.stringify(action));
  });
}

function reach(url: string): Promise<number | 'refused'> {
  return post(url, {}, false).then(
    () => 200,
    () => 'refused' as const,
  );
}

describe('the process', { concurrent: true }, () => {
  it('lists all bad settings with their values and what is accepted', async ({ expect }) => {
    const env = Object.fromEntries(
      Object.entries(BAD_SETTINGS).map(([name, [value]]) => [name, value]),
    );
    const { code, output } = await runToExit('executor', env);
    expect(code).toBe(1);
    for (const [name, [value, accepted]] of Object.entries(BAD_SETTINGS)) {
      const line = output.split('\n').find((each) => each.includes(`${name}=`));
      expect(line, name).toContain(value);
      expect(line).toMatch(accepted);
    }
    expect(output).not.toMatch(/^\s+at /m);
  });

  it('says what to change if it cannot listen', async ({ expect }) => {
    await using taken = await startUpstream();
    const { code, output } = await runToExit('executor', {
      HTTP_EXECUTOR_BIND_ADDR: `127.0.0.1:${taken.port}`,
    });
    expect(code).toBe(1);
    expect(output).toBe(
      `executor cannot listen: port ${taken.port} of 127.0.0.1 is in use; end the process that uses it, or set HTTP_EXECUTOR_BIND_ADDR.\n`,
    );
  });

  it.for(['SIGTERM', 'SIGINT'] as const)(
    'exits 0 immediately on %s when idle',
    async (signal, { expect }) => {
      await using service = await startProcess({ SHUTDOWN_GRACE_MS: '600000' });
      service.signal(signal);
      // A process that waited for its whole grace period would exceed this test's timeout.
      expect(await service.ended).toEqual({ code: 0, signal: null });
    },
  );

  it.for([
    'close',
    // A keep-alive connection must not delay the end (docs/contract.md, "Signals").
    'keep-alive',
  ])(
    'finishes the execution in flight on SIGTERM and exits 0, with connection: %s',
    async (connection, { expect }) => {
      const answer = Promise.withResolvers<void>();
      await using upstream = await startUpstream(async (_request, response) => {
        await answer.promise;
        response.end('{"done":true}');
      });
      await using service = await startProcess({ SHUTDOWN_GRACE_MS: '600000' });
      const running = post(
        service.url,
        { method: 'POST', url: upstream.origin },
        connection === 'keep-alive',
      );
      await expect.poll(() => upstream.requests.length).toBe(1);
      service.signal('SIGTERM');
      await expect.poll(() => reach(`${service.url}/healthz`)).toBe('refused');
      answer.resolve();
      expect(JSON.parse(await running)).toMatchObject({
        outcome: 'success',
        body: { done: true },
        attempts: 1,
      });
      expect(await service.ended).toEqual({ code: 0, signal: null });
    },
  );

  it('waits no longer than the grace period on SIGTERM and exits 0', async ({ expect }) => {
    await using upstream = await startUpstream(() => {});
    await using service = await startProcess({ SHUTDOWN_GRACE_MS: '200' });
    const running = service
      .execute({ method: 'POST', url: upstream.origin })
      .catch(() => 'cut off');
    await expect.poll(() => upstream.requests.length).toBe(1);
    service.signal('SIGTERM');
    // The attempt itself would time out only after 15 s.
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(await running).toBe('cut off');
  });
});
