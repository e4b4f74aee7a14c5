import { runToExit, startUpstream } from '@gatehouse/testing';
import { describe, it } from 'vitest';
import { startProcess } from './support/process.ts';

const BAD_SETTINGS: Record<string, [value: string, accepted: RegExp]> = {
  HTTP_EXECUTOR_BIND_ADDR: ['8092', /host:port/],
  HTTP_EXECUTOR_ALLOWED_HOSTS: ['http://a.test', /`http:\/\/a\.test`.*host:port/],
  HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: ['15s', /whole number from 1 to/],
  LOG_LEVEL: ['loud', /one of trace, debug, info, warn, error, fatal, silent/],
  SHUTDOWN_GRACE_MS: ['', /whole number from 0 to/],
};

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
      `executor cannot listen: port ${taken.port} on 127.0.0.1 is in use; end the process that uses it, or set HTTP_EXECUTOR_BIND_ADDR to another port, such as 127.0.0.1:${taken.port > 60_000 ? taken.port - 100 : taken.port + 100}.\n`,
    );
  });

  it('waits no longer than the grace period on SIGTERM and exits 0', async ({ expect }) => {
    await using upstream = await startUpstream(() => {});
    await using service = await startProcess({ SHUTDOWN_GRACE_MS: '200' });
    const running = service
      .execute({ method: 'POST', url: upstream.origin })
      .catch(() => 'cut off');
    await expect.poll(() => upstream.requests.length).toBe(1);
    service.signal('SIGTERM');
    // Without the grace period, the attempt would take 15 s to time out.
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(await running).toBe('cut off');
    const cancelled = `"host":"127.0.0.1:${upstream.port}","path":"/"},"msg":"execution cancelled"`;
    expect(service.output).toContain(cancelled);
  });
});
