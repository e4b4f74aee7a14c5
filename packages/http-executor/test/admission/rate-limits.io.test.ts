import { reply, startGatedUpstream, startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startWithDestinations } from '../support/destinations.ts';
import { LOCAL_NAMES } from '../support/executor.ts';

const listing = (...entries: string[]) => ({
  'destinations.yaml': `destinations:\n${entries.map((each) => `  - { ${each} }\n`).join('')}`,
});

it('per_minute limits each caller of a destination, and refills evenly', async () => {
  await using upstream = await startUpstream();
  const clock = fakeClock();
  const host = `host: "127.0.0.1:${upstream.port}"`;
  const files = listing(`${host}, paths: [/a], per_minute: 3`, `${host}, paths: [/b]`);
  await using executor = startWithDestinations(files, { clock });
  const action = { method: 'GET', url: `${upstream.origin}/a` };
  for (const caller of ['x', 'y', undefined]) {
    for (let count = 0; count < 3; count++) await executor.outcome(action, { caller });
    const refused = await executor.refusal(action, { caller });
    expect(refused).toMatchObject({ code: 'TooManyRequests', retryAfterS: 20 });
    expect(refused.message).toContain('per_minute');
  }
  expect(upstream.requests).toHaveLength(9);
  await executor.outcome({ ...action, url: `${upstream.origin}/b` }, { caller: 'x' });
  clock.pass(19_999);
  expect(await executor.refusal(action, { caller: 'x' })).toMatchObject({ retryAfterS: 1 });
  clock.pass(1);
  await executor.outcome(action, { caller: 'x' });
  await executor.refusal(action, { caller: 'x' });
  clock.pass(3_600_000);
  for (let count = 0; count < 3; count++) await executor.outcome(action, { caller: 'x' });
  await executor.refusal(action, { caller: 'x' });
});

it('per_minute does not count refusals, dry runs, attempts and redirects', async () => {
  await using upstream = await startUpstream([
    { status: 503 },
    { status: 302, headers: { location: '/b' } },
    {},
  ]);
  const clock = fakeClock();
  const files = listing(
    `host: "127.0.0.1:${upstream.port}", per_minute: 1`,
    'host: private.test, per_minute: 1',
  );
  const resolve = LOCAL_NAMES.resolve;
  await using executor = startWithDestinations(files, { clock, resolve });
  const action = { method: 'GET', url: `${upstream.origin}/a` };
  await executor.dryRun(action);
  await executor.refusal({ ...action, headers: { host: 'x' } });
  expect(await executor.outcome(action)).toMatchObject({ status: 200, attempts: 2 });
  expect((await executor.refusal(action)).message).toContain('send the action again in 60 s');
  const refused = { method: 'GET', url: 'http://private.test/' };
  for (let count = 0; count < 3; count++)
    expect(await executor.refusal(refused)).toMatchObject({ code: 'AddressNotAllowed' });
});

it('a redirect reaches a destination above its per_minute, without its credential', async () => {
  await using upstream = await startUpstream(({ url }, response) =>
    reply(response, url === '/from' ? { status: 302, headers: { location: '/to' } } : {}),
  );
  const host = `host: "127.0.0.1:${upstream.port}"`;
  const { 'destinations.yaml': list } = listing(
    `${host}, paths: [/to], credential: shop, per_minute: 1`,
    `${host}, paths: [/from]`,
  );
  const files = {
    'destinations.yaml': `${list}credentials: { shop: { type: bearer, token_file: secret } }`,
    secret: 'shop-secret-0123456789',
  };
  await using executor = startWithDestinations(files, { clock: fakeClock() });
  const get = (path: string) => ({ method: 'GET', url: upstream.origin + path });
  await executor.outcome(get('/to'));
  expect(await executor.refusal(get('/to'))).toMatchObject({ code: 'TooManyRequests' });
  for (let count = 0; count < 3; count++)
    expect(await executor.outcome(get('/from'))).toMatchObject({ outcome: 'success' });
  const sent = upstream.requests.filter(({ url }) => url === '/to');
  expect(sent.map(({ headers }) => headers.authorization !== undefined)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('max_executions replaces the limit of the host, for all callers', async () => {
  await using upstream = await startGatedUpstream();
  const host = `host: "127.0.0.1:${new URL(upstream.origin).port}"`;
  const files = listing(`${host}, paths: [/a], max_executions: 3`, host);
  const setup = { maxExecutionsPerHost: 1, maxExecutions: 10, maxWaitMs: 50 };
  await using executor = startWithDestinations(files, setup);
  const send = (path: string, caller: string) =>
    executor.outcome({ method: 'POST', url: `${upstream.origin}${path}` }, { caller });
  const running = [send('/a', 'x'), send('/a', 'y'), send('/a', 'z'), send('/b', 'x')];
  await expect.poll(() => upstream.held.length).toBe(4);
  await expect(send('/a', 'x')).rejects.toThrow(
    /in flight for the destination .* \(max_executions: 3\)/,
  );
  await expect(send('/b', 'x')).rejects.toThrow(/maxExecutionsPerHost/);
  upstream.open();
  await Promise.all(running);
});

it('an execution above per_minute is refused at once, even if no slot is free', async () => {
  await using upstream = await startGatedUpstream();
  const files = listing(
    `host: "127.0.0.1:${new URL(upstream.origin).port}", max_executions: 1, per_minute: 2`,
  );
  const clock = fakeClock();
  await using executor = startWithDestinations(files, { clock, maxWaitMs: 100 });
  const action = { method: 'POST', url: upstream.origin };
  const running = executor.outcome(action);
  await expect.poll(() => upstream.held.length).toBe(1);
  const waiting = executor.refusal(action);
  await new Promise((done) => setImmediate(done));
  expect((await executor.refusal(action)).message).toContain('per_minute');

  clock.pass(100);
  expect((await waiting).message).toContain('max_executions');
  upstream.open();
  await running;
  await executor.outcome(action);
});
