import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Claims, type EffectKey, StoreUnavailable } from '@gatehouse/http-executor';
import { POSTGRES_BIN, type Postgres, shared, startPostgres } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { claims, key, LAWS, mustClaim, outcome, use } from '../support/store-laws.ts';

const DAY_MS = 86_400_000;

const always = (some: Partial<Claims>) => () => claims(some);

/** Returns claims of one approval, each with a token of its own. */
function oneApproval() {
  const approval = use();
  return () => claims({ token: use(), approval });
}

describe.skipIf(POSTGRES_BIN === undefined)('a store in PostgreSQL', () => {
  const postgres = shared<Postgres>(startPostgres);
  let reasons: (string | undefined)[] = [];
  const open = (ttlMs = DAY_MS) =>
    openPostgresStore(postgres().url, ttlMs, (reason) => void reasons.push(reason));
  let store: Store;
  let other: Store;
  beforeAll(() => {
    [store, other] = [open(), open()];
  });
  afterAll(() => Promise.all([store.close(), other.close()]));

  it.each(LAWS)('%s', async (_title, law) => law(store));

  it.each<[name: string, next: () => () => Claims]>([
    ['key', () => always({ key: key() })],
    ['token', () => always({ token: use() })],
    ['approval', oneApproval],
    ['key, token and approval', () => always({ key: key(), token: use(), approval: use() })],
  ])('lets exactly one of many claims of two replicas win: %s', async (_name, next) => {
    for (let round = 0; round < 20; round += 1) {
      const claim = next();
      const all = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : other).claim(claim()),
      );
      expect((await Promise.all(all)).filter(({ ok }) => ok)).toHaveLength(1);
    }
  });

  it('never lets two replicas wait for each other', { timeout: 30_000 }, async () => {
    for (let round = 0; round < 20; round += 1) {
      const keys = Array.from({ length: 60 }, () => key());
      const settled = async (replica: Store, all: EffectKey[]) => {
        const claimed = await Promise.all(
          all.map((each) => replica.claim(claims({ key: each, token: use(each.id) }))),
        );
        const won = claimed.filter((each) => each.ok);
        await Promise.all(won.map(({ value }) => value.settle(outcome())));
        return won.length;
      };
      const orders = [keys, keys.toReversed()];
      const work = orders.flatMap((all) => [settled(store, all), settled(other, all.toReversed())]);
      const won = await Promise.all(work);
      expect(won.reduce((sum, each) => sum + each)).toBe(keys.length);
    }
  });

  it('stores an outcome although another claim that ends at the same time is lost', async () => {
    const [kept, lost] = [key(), key()];
    const [one, two] = [
      await mustClaim(store, { key: kept }),
      await mustClaim(store, { key: lost }),
    ];
    await age(lost.id, 31);
    const ended = await Promise.allSettled([two.settle(outcome()), one.settle(outcome())]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await other.find(kept)).toMatchObject({ state: 'done' });
    expect(await other.find(lost)).toEqual({ state: 'unknown' });
  });

  it('has a claim that was not renewed for 30 s as unknown for good, for every replica', async () => {
    const mine = key();
    const claim = await mustClaim(store, { key: mine });
    await age(mine.id, 29);
    expect(await other.find(mine)).toEqual({ state: 'in_progress' });
    await age(mine.id, 31);
    expect(await other.find(mine)).toEqual({ state: 'unknown' });
    await expect(claim.settle(outcome())).rejects.toThrow(StoreUnavailable);
    await claim.release();
    expect(await store.find(mine)).toEqual({ state: 'unknown' });
  });

  it('renews its claims, but not those that are lost', { timeout: 30_000 }, async () => {
    const [kept, lost] = [key(), key()];
    await mustClaim(store, { key: kept });
    await mustClaim(store, { key: lost });
    await age(kept.id, 20);
    await age(lost.id, 31);
    const ageOf = `SELECT extract(epoch FROM now() - renewed_at) < 10 FROM gatehouse_keys WHERE id`;
    await expect.poll(() => postgres().sql(`${ageOf} = '${kept.id}'`)).toBe('t');
    expect(await store.find(lost)).toEqual({ state: 'unknown' });
  });

  it('is unavailable without a writable server, then works again', {
    timeout: 60_000,
  }, async () => {
    const [mine, known] = [key(), key()];
    await (await mustClaim(store, { key: known })).settle(outcome());
    await setReadOnly(true);
    await expect(store.claim(claims({ key: mine }))).rejects.toThrow(StoreUnavailable);
    expect(await store.find(known)).toMatchObject({ state: 'done' });
    expect(reasons.at(-1)).toMatch(/read-only/);
    await setReadOnly(false);
    await (await mustClaim(store, { key: mine })).release();

    await postgres().stop('immediate');
    await expect(store.find(mine)).rejects.toThrow(StoreUnavailable);
    expect(reasons.at(-1)).toMatch(/./);
    reasons = [];
    await postgres().start();
    await expect.poll(() => reasons.includes(undefined), { timeout: 20_000 }).toBe(true);
    await mustClaim(store, { key: mine });
    expect(await store.find(known)).toMatchObject({ state: 'done' });
  });

  it('keeps all outcomes if the server crashes', { timeout: 60_000 }, async () => {
    const keys = Array.from({ length: 50 }, () => key());
    for (const each of keys) await (await mustClaim(store, { key: each })).settle(outcome());
    await postgres().stop('immediate');
    await postgres().start();
    const isBack = () =>
      store.find(key()).then(
        () => true,
        () => false,
      );
    await expect.poll(isBack, { timeout: 20_000 }).toBe(true);
    const states = new Set((await Promise.all(keys.map(store.find))).map((each) => each?.state));
    expect([...states]).toEqual(['done']);
  });

  it('frees a key whose claim was stored, but whose answer was lost', {
    timeout: 60_000,
  }, async () => {
    await using proxy = await startProxy(Number(new URL(postgres().url).port));
    const far = openPostgresStore(proxy.url, DAY_MS, () => {});
    const mine = key();
    expect(await far.find(mine)).toBeUndefined();
    proxy.losesAnswers = true;
    await expect(far.claim(claims({ key: mine }))).rejects.toThrow(StoreUnavailable);
    expect(await store.find(mine)).toEqual({ state: 'in_progress' });
    proxy.losesAnswers = false;
    await expect.poll(() => store.find(mine), { timeout: 20_000 }).toBeUndefined();
    await far.close();
  });

  // An error that nobody handles would end the executor, and makes the test runner fail.
  it('is only unavailable if a connection breaks during a transaction', async () => {
    await using proxy = await startProxy(Number(new URL(postgres().url).port));
    const far = openPostgresStore(proxy.url, DAY_MS, () => {});
    const both = { key: key(), token: use() };
    proxy.breaksAtCommit = true;
    await expect(far.claim(claims(both))).rejects.toThrow(StoreUnavailable);
    proxy.breaksAtCommit = false;
    await mustClaim(far, both);
    await far.close();
  });

  it('stops to hold a claim 5 s before others treat it as lost', async () => {
    const claim = await mustClaim(store, { key: key() });
    const now = performance.now();
    const isHeldAfter = (ms: number) => {
      const clock = vi.spyOn(performance, 'now').mockReturnValue(now + ms);
      const isHeld = claim.isHeld();
      clock.mockRestore();
      return isHeld;
    };
    expect([24_000, 26_000].map(isHeldAfter)).toEqual([true, false]);
  });

  it('keeps nothing of a claim that timed out', { timeout: 60_000 }, async () => {
    const mine = key();
    const locked = postgres().sql('BEGIN; LOCK gatehouse_keys IN SHARE MODE; SELECT pg_sleep(6)');
    await expect.poll(() => postgres().sql(LOCKS)).not.toBe('0');
    await expect(store.claim(claims({ key: mine }))).rejects.toThrow(StoreUnavailable);
    await locked;
    await mustClaim(other, { key: mine });
  });

  it('forgets a key after its time, but never while its execution is in progress', async () => {
    const short = open(1);
    const [settled, running] = [key(), key()];
    await (await mustClaim(short, { key: settled })).settle(outcome());
    const claim = await mustClaim(short, { key: running });
    expect(await short.find(settled)).toBeUndefined();
    expect(await short.find(running)).toEqual({ state: 'in_progress' });
    await mustClaim(short, { key: settled });
    await claim.settle(outcome());
    expect(await short.find(running)).toBeUndefined();
    await short.close();
  });

  /** Makes a claim as old as if it had not been renewed for some seconds. */
  const age = (id: string, seconds: number) =>
    postgres().sql(
      `UPDATE gatehouse_keys SET renewed_at = clock_timestamp() - interval '${seconds} s'
       WHERE id = '${id}'`,
    );

  const setReadOnly = async (isOn: boolean) => {
    const value = isOn ? 'on' : 'off';
    const admin = 'SET default_transaction_read_only = off';
    const alter = `ALTER SYSTEM SET default_transaction_read_only = ${value}`;
    await postgres().sql(admin, alter, 'SELECT pg_reload_conf()');
    const now = () => postgres().sql('SHOW default_transaction_read_only');
    await expect.poll(now).toBe(value);
  };
});

const LOCKS = `SELECT count(*) FROM pg_locks JOIN pg_class ON relation = pg_class.oid
  WHERE relname = 'gatehouse_keys' AND mode = 'ShareLock' AND granted`;

/** Starts a proxy in front of PostgreSQL, which can lose answers and break transactions. */
async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('data', (data) => {
      if (!proxy.breaksAtCommit || !data.includes('COMMIT')) return upstream.write(data);
      upstream.destroy();
      return client.destroy();
    });
    upstream.on('data', (data) => proxy.losesAnswers || client.write(data));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = {
    losesAnswers: false,
    breaksAtCommit: false,
    url: `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return proxy;
}
