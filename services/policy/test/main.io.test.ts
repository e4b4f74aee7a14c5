import { runToExit, startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

describe.concurrent('the policy process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers checks until %s, then exits 0',
    async (signal) => {
      await using policy = await startService('policy');
      const answer = await postCheck(policy.url, '{"connector":{"scope":"mcp://root"}}');
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 200,
        body: { decision: 'deny' },
      });
      policy.signal(signal);
      expect(await policy.ended).toEqual({ code: 0, signal: null });
      await expect(fetch(policy.url)).rejects.toThrow();
    },
  );

  it('does not start on a port that is in use, and says which', async () => {
    await using server = await startPolicy();
    const taken = { POLICY_BIND_ADDR: `127.0.0.1:${server.port}` };
    expect(await runToExit('policy', taken)).toMatchObject({
      code: 1,
      stderr: `policy cannot listen: port ${server.port} on 127.0.0.1 is in use; end the process that uses it, or set POLICY_BIND_ADDR to another port, such as 127.0.0.1:${server.port > 60_000 ? server.port - 100 : server.port + 100}.\n`,
    });
  });
});
