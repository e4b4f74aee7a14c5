import * as testing from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { readProblem, startServer } from '../support/server.ts';
import { SERVICES } from '../support/services.ts';
import { openWire, postHead } from '../support/wire.ts';

const UNREACHED_MS = 600_000;
const MAX_IN_FLIGHT = 3;
const PROBES = ['/healthz', '/readyz', '/healthz?from=balancer'];

const limits = (maxInFlight: number) => ({
  load: { maxInFlight, maxEventLoopDelayMs: UNREACHED_MS },
});

async function expectOverloaded(response: Response, why: RegExp): Promise<void> {
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await readProblem(response)).toMatchObject({
    status: 503,
    code: 'Overloaded',
    detail: expect.stringMatching(why),
  });
}

describe('requests in flight', () => {
  it('are refused above the limit, except probes', async () => {
    const { open, entered, route } = gate();
    await using server = await startServer(route, limits(MAX_IN_FLIGHT));
    const running = Array.from({ length: MAX_IN_FLIGHT }, () => fetch(`${server.url}/work`));
    await expect.poll(entered).toBe(MAX_IN_FLIGHT);
    for (const path of ['/work', '/free', '/nowhere']) {
      await expectOverloaded(await fetch(server.url + path), /3 requests \(MAX_IN_FLIGHT\)/);
    }
    for (const path of PROBES) expect((await fetch(server.url + path)).status, path).toBe(200);
    expect(entered()).toBe(MAX_IN_FLIGHT);
    open();
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
    await expect.poll(async () => (await fetch(`${server.url}/free`)).status).toBe(200);
  });

  it('leave room for exactly one more if they are one below the limit', async () => {
    const { open, entered, route } = gate();
    await using server = await startServer(route, limits(MAX_IN_FLIGHT));
    const running = Array.from({ length: MAX_IN_FLIGHT - 1 }, () => fetch(`${server.url}/work`));
    await expect.poll(entered).toBe(MAX_IN_FLIGHT - 1);
    expect((await fetch(`${server.url}/free`)).status).toBe(200);
    open();
    await Promise.all(running);
  });

  it('no longer count after they are aborted', async () => {
    const { open, entered, route } = gate();
    await using server = await startServer(route, limits(1));
    const gone = new AbortController();
    const running = fetch(`${server.url}/work`, { signal: gone.signal }).catch(() => 'gone');
    await expect.poll(entered).toBe(1);
    expect((await fetch(`${server.url}/free`)).status).toBe(503);
    gone.abort();
    expect(await running).toBe('gone');
    await expect.poll(async () => (await fetch(`${server.url}/free`)).status).toBe(200);
    open();
  });
});

it.each(SERVICES)('the $name service refuses requests above MAX_IN_FLIGHT', async (service) => {
  await using running = await testing.startService(service.name, { MAX_IN_FLIGHT: '1' });
  const status = async () => (await fetch(`${running.url}/problems`)).status;
  using wire = openWire(running.port);
  const path = service.name === 'policy' ? service.path : '/execute';
  await wire.send(postHead(path, { 'content-length': 2 }));
  await expect.poll(status).toBe(503);
  expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
  await wire.send('{}');
  await expect.poll(status).toBe(200);
});

/** Far above the mean event loop delay on a busy machine. */
const BLOCK_MS = 60;

/** Blocks the event loop repeatedly until the returned function is called. */
function blockAgainAndAgain(): () => void {
  let blocked = true;
  const again = () => {
    if (!blocked) return;
    const until = performance.now() + BLOCK_MS;
    while (performance.now() < until);
    setImmediate(again);
  };
  again();
  return () => {
    blocked = false;
  };
}

describe('a busy event loop', () => {
  it('refuses requests, answers probes and accepts requests again afterwards', async () => {
    await using server = await startServer(gate().route, {
      load: { maxInFlight: 1_000, maxEventLoopDelayMs: BLOCK_MS / 2 },
    });
    const free = async () => (await fetch(`${server.url}/free`)).status;
    await expect.poll(free).toBe(200);
    const stop = blockAgainAndAgain();
    try {
      await expect.poll(free).toBe(503);
      await expectOverloaded(
        await fetch(`${server.url}/free`),
        /event loop.*MAX_EVENT_LOOP_DELAY_MS/,
      );
      const answers = await Promise.all(
        [...PROBES, '/metrics'].map((path) => fetch(server.url + path)),
      );
      for (const { status, url } of answers) expect(status, url).toBe(200);
      // A scrape must not reset the measured delay.
      expect(await free()).toBe(503);
    } finally {
      stop();
    }
    await expect.poll(free).toBe(200);
  });
});
