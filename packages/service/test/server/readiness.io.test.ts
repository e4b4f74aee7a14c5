import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readProblem, startServer } from '../support/server.ts';

const route = () => {};

async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

describe('readiness', () => {
  it('begins when the self-test has passed', async () => {
    const test = Promise.withResolvers<void>();
    await using server = await startServer(route, { selfTest: () => test.promise });
    const response = await fetch(`${server.url}/readyz`);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(await readProblem(response)).toMatchObject({
      status: 503,
      code: 'NotReady',
      detail: expect.stringContaining('self-test'),
    });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    test.resolve();
    await expect.poll(() => readiness(server.url)).toBe(200);
    expect(server.lines().filter(({ level }) => level === 'fatal')).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('upside down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('upside down'))],
  ])('never begins if the self-test %s, and one line says why', async (_name, selfTest) => {
    await using server = await startServer(route, { selfTest });
    const fatal = () => server.lines().filter(({ level }) => level === 'fatal');
    await expect
      .poll(fatal)
      .toMatchObject([
        { msg: 'self-test failed', err: { message: expect.stringContaining('upside down') } },
      ]);
    expect(await readiness(server.url)).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(fatal()).toHaveLength(1);
  });

  it('begins when a repeated self-test has passed', async () => {
    let tries = 0;
    const selfTest = () => {
      tries += 1;
      if (tries === 1) throw new Error('too slow');
    };
    await using server = await startServer(route, { selfTest });
    await expect.poll(() => readiness(server.url)).toBe(200);
    expect(tries).toBe(2);
  });

  it('does not begin if draining began before the self-test passed', async () => {
    const test = Promise.withResolvers<void>();
    await using server = await startServer(
      (app) => app.addHook('onListen', async () => app.lifecycle.drain()),
      {
        selfTest: () => test.promise,
      },
    );
    test.resolve();
    const response = await fetch(`${server.url}/readyz`);
    expect(await readProblem(response)).toMatchObject({
      code: 'NotReady',
      detail: expect.stringContaining('shutting down'),
    });
  });

  it('logs nothing if the service ends during its self-test', async () => {
    const test = Promise.withResolvers<void>();
    await using server = await startServer(route, { selfTest: () => test.promise });
    await server[Symbol.asyncDispose]();
    test.reject(new Error('cut short'));
    await turn();
    expect(server.log).not.toContain('cut short');
  });
});
