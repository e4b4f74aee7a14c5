import { startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { openSocket } from './support/bare-socket.ts';
import { postCheck } from './support/policy-server.ts';
import { problemIn, received } from './support/problems.ts';

const UNFINISHED =
  'POST /policy/check HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n';

it('the policy service rejects checks beyond its limit, answers probes, and recovers', async () => {
  await using policy = await startService('policy', { MAX_IN_FLIGHT: '1' });
  await using socket = await openSocket(policy.port);
  socket.send(UNFINISHED);
  await expect.poll(async () => (await postCheck(policy.url, '{}')).status).toBe(503);
  problemIn(await received(postCheck(policy.url, '{}')), { status: 503, code: 'Overloaded' });
  expect((await fetch(`${policy.url}/healthz`)).status).toBe(200);
  socket.send('{}');
  await expect.poll(async () => (await postCheck(policy.url, '{}')).status).toBe(200);
});
