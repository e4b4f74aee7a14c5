import { expect, it } from 'vitest';
import { MemoryStore } from '../../src/effects/memory-store.ts';
import { StoreUnavailable } from '../../src/index.ts';
import { fakeClock } from '../support/clock.ts';

function startStore() {
  const clock = fakeClock();
  const start = clock.date().getTime();
  const store = new MemoryStore(clock);
  const use = (id: string, ms: number) => ({ id, until: start + ms });
  const claim = (token: string, ms: number, approval?: string, approvalMs = ms) =>
    store.claim({
      key: undefined,
      token: use(token, ms),
      approval: approval === undefined ? undefined : use(approval, approvalMs),
    });
  return { clock, claim, store };
}

const USED = (what: 'token' | 'approval') => ({ ok: false, reason: { state: `${what}_used` } });

it('remembers tokens and approvals until their time, to the millisecond', async () => {
  const { claim, clock } = startStore();
  expect(await claim('t1', 10, 'a1', 20)).toMatchObject({ ok: true });
  expect(await claim('t1', 10, 'a2')).toEqual(USED('token'));
  expect(await claim('t2', 10, 'a1')).toEqual(USED('approval'));
  expect(await claim('a1', 10)).toMatchObject({ ok: true });
  clock.pass(10);
  expect(await claim('t1', 10)).toEqual(USED('token'));
  clock.pass(1);
  expect(await claim('t1', 30)).toMatchObject({ ok: true });
  clock.pass(9);
  expect(await claim('t3', 30, 'a1', 30)).toEqual(USED('approval'));
  clock.pass(1);
  expect(await claim('t3', 30, 'a1', 30)).toMatchObject({ ok: true });
});

it('frees an approval, but not the token, if nothing was sent', async () => {
  const { claim } = startStore();
  const claimed = await claim('t1', 10, 'a1');
  if (claimed.ok) await claimed.value.release();
  expect(await claim('t1', 10)).toEqual(USED('token'));
  const again = await claim('t2', 10, 'a1');
  if (again.ok) await again.value.abandon();
  expect(await claim('t3', 10, 'a1')).toEqual(USED('approval'));
});

it('claims nothing more once it is full, until its uses expire', async () => {
  const { claim, clock } = startStore();
  for (let n = 0; n < 1_000_000; n += 1) await claim(String(n), 10);
  await expect(claim('more', 10)).rejects.toThrow(StoreUnavailable);
  expect(await claim('0', 10)).toEqual(USED('token'));
  clock.pass(11);
  expect(await claim('more', 20)).toMatchObject({ ok: true });
});

it('has no idempotency keys', async () => {
  const { store } = startStore();
  const key = { id: 'k', action: 'a', caller: undefined };
  await expect(store.find(key)).rejects.toThrow(StoreUnavailable);
});
