import { runToExit, startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { openSocket } from './support/bare-socket.ts';
import { postCheck, startPolicy } from './support/policy-server.ts';

const CHECK =
  'POST /policy/check HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';

/** Waits until everything sent earlier over the loopback interface has arrived. */
async function arrivalOfAllSent(port: number): Promise<void> {
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
}

async function isRefused(port: number): Promise<boolean> {
  try {
    await using _taken = await openSocket(port);
    return false;
  } catch {
    return true;
  }
}

describe.concurrent('the policy process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers checks until %s, then exits 0',
    async (signal) => {
      await using policy = await startService('policy');
      const { url } = policy;
      const answer = await postCheck(url, '{"connector":{"scope":"mcp://root"}}');
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 200,
        body: { decision: 'deny' },
      });
      policy.signal(signal);
      expect(await policy.ended).toEqual({ code: 0, signal: null });
      expect(await isRefused(policy.port)).toBe(true);
    },
  );

  it('waits no longer than SHUTDOWN_GRACE_MS for requests in flight', async () => {
    await using policy = await startService('policy', { SHUTDOWN_GRACE_MS: '300' });
    const { port } = policy;
    await using socket = await openSocket(port);
    socket.send(CHECK);
    await arrivalOfAllSent(port);
    // Without the short grace period, the service would wait 30 s for the rest of the body.
    expect(await policy.stop()).toEqual({ code: 0, signal: null });
    expect((await socket.answer).text).toBe('');
  });
});

it('survives SIGHUP without any file and logs that there is nothing to reload', async () => {
  await using policy = await startService('policy');
  policy.signal('SIGHUP');
  await policy.printed(/nothing to reload because no setting names a file that can change/);
  expect((await fetch(`${policy.url}/healthz`)).status).toBe(200);
});

describe.concurrent('the policy process does not start', () => {
  it('with bad settings, and lists each with its value and what is accepted', async () => {
    const bad = { POLICY_BIND_ADDR: 'foo', LOG_LEVEL: 'loud', SHUTDOWN_GRACE_MS: '-1' };
    const { code, signal, stderr: message } = await runToExit('policy', bad);
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    for (const [name, value] of Object.entries(bad)) {
      const line = message.split('\n').find((text) => text.includes(name));
      expect(line, message).toContain(value);
    }
    expect(message).toContain('host:port');
    for (const level of ['info', 'warn', 'error']) expect(message).toContain(level);
    expect(message).toMatch(/whole number/);
    expect(message).not.toMatch(/\n\s+at /);
  });

  it('on a port that is in use, and says which', async () => {
    await using server = await startPolicy();
    const taken = { POLICY_BIND_ADDR: `127.0.0.1:${server.port}` };
    const { code, stderr } = await runToExit('policy', taken);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`port ${server.port} on 127\\.0\\.0\\.1 is in use`, 'i'));
    expect(stderr).toContain('POLICY_BIND_ADDR');
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
