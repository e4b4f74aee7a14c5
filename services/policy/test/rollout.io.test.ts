import { startService } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { checkUntilClosed } from './support/closed-loop.ts';
import { postCheck } from './support/policy-server.ts';

const CLIENTS = 8;
const ANSWERS = 50;
/** Longer than any test. */
const LONG_MS = '600000';

describe('a policy process that receives SIGTERM', () => {
  it.each([
    ['immediately', {}],
    ['with a delay', { SHUTDOWN_DELAY_MS: '500' }],
  ])(
    'answers busy and idle clients until it closes their connections, %s',
    async (_name, others) => {
      await using policy = await startService('policy', others);
      const { url } = policy;
      const ending = Promise.withResolvers<void>();
      let [answers, resting] = [0, 0];
      const busy = Array.from({ length: CLIENTS }, () =>
        checkUntilClosed(url, () => void answers++),
      );
      const idle = Array.from({ length: CLIENTS }, () =>
        checkUntilClosed(url, () => {
          resting += 1;
          return ending.promise;
        }),
      );
      await expect.poll(() => resting === CLIENTS && answers > CLIENTS * ANSWERS).toBe(true);
      policy.signal('SIGTERM');
      await policy.printed(/shutting down/);
      ending.resolve();
      for (const { statuses, end } of await Promise.all([...busy, ...idle])) {
        expect({ statuses: Object.keys(statuses), end }).toEqual({
          statuses: ['200'],
          end: 'told to close',
        });
      }
      expect(await policy.ended).toEqual({ code: 0, signal: null });
    },
  );

  it('accepts new connections during SHUTDOWN_DELAY_MS, is not ready, and closes each after its reply', async () => {
    await using policy = await startService('policy', { SHUTDOWN_DELAY_MS: LONG_MS });
    const { url } = policy;
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    policy.signal('SIGTERM');
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).status, { interval: 10 })
      .toBe(503);
    const unread = await fetch(`${url}/%zz`);
    const alive = await fetch(`${url}/healthz`);
    const check = await postCheck(url, '{}');
    for (const { headers } of [unread, alive, check])
      expect(headers.get('connection')).toBe('close');
    expect([unread, alive, check].map(({ status }) => status)).toEqual([400, 200, 200]);
  });
});
