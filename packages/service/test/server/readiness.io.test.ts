import { describe, expect, it } from 'vitest';
import type { Server } from '../../src/index.ts';
import { readProblem, startServer } from '../support/server.ts';

describe('readiness', () => {
  it('lasts as long as the service has what it needs', async () => {
    let lacks: string | undefined;
    await using server = await startServer(() => {}, { missing: () => lacks });
    const readiness = () => fetch(`${server.url}/readyz`);
    expect((await readiness()).status).toBe(200);
    lacks = 'Wait for the store.';
    const response = await readiness();
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await readProblem(response)).toMatchObject({
      ...{ status: 503, code: 'NotReady', detail: lacks },
    });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    lacks = undefined;
    expect((await readiness()).status).toBe(200);
  });

  it('ends when the service begins to shut down', async () => {
    const drain = (app: Server) => app.addHook('onListen', async () => app.draining.abort());
    await using server = await startServer(drain);
    expect(await readProblem(await fetch(`${server.url}/readyz`))).toMatchObject({
      code: 'NotReady',
      detail: expect.stringContaining('shutting down'),
    });
  });
});
