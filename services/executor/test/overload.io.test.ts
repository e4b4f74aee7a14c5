import { startGatedUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';

it('the executor refuses requests above its limit, answers probes and recovers', async () => {
  await using upstream = await startGatedUpstream();
  await using executor = await startExecutor({ env: { MAX_IN_FLIGHT: '1' } });
  const running = executor.execute({ method: 'POST', url: upstream.origin });
  await expect.poll(() => upstream.held.length).toBe(1);
  const refused = await fetch(`${executor.url}/sandbox`);
  expect(await readProblem(refused)).toMatchObject({ status: 503, code: 'Overloaded' });
  expect((await fetch(`${executor.url}/healthz`)).status).toBe(200);
  upstream.open();
  expect((await running).status).toBe(200);
  await expect.poll(async () => (await fetch(`${executor.url}/sandbox`)).status).toBe(200);
});
