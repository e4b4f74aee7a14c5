import { createLogger } from '@gatehouse/service';
import { expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import { openSocket } from './support/bare-socket.ts';
import { problemIn } from './support/problems.ts';

const headOf = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n`;

it('a service that is draining is alive but no longer ready', async () => {
  const app = await buildApp({ logger: createLogger('policy', 'silent') });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  await using ready = await openSocket(port);
  await using alive = await openSocket(port);
  ready.send(headOf('/readyz'));
  alive.send(headOf('/healthz'));
  // The rest of both requests comes when closing has begun; this one shows that their
  // beginnings have arrived.
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  const closed = app.close();
  await new Promise(setImmediate);
  ready.send('\r\n');
  alive.send('\r\n');
  problemIn(await ready.answer, { status: 503, code: 'NotReady' });
  expect(await alive.answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  await closed;
});
