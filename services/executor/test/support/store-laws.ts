import type { Claim, Claims, EffectKey, StoredOutcome } from '@gatehouse/http-executor';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';

const DAY_MS = 86_400_000;

export const key = (id: string = crypto.randomUUID(), action = 'a'): EffectKey => ({
  ...{ id, action, caller: 'planner' },
});
export const use = (id: string = crypto.randomUUID(), until = Date.now() + DAY_MS) => ({
  id,
  until,
});
export const claims = (some: Partial<Claims>): Claims => ({
  ...{ key: undefined, token: undefined, approval: undefined, ...some },
});
export const outcome = (body: unknown = 1): StoredOutcome => ({
  json: Buffer.from(JSON.stringify({ outcome: 'success', attempts: 1, body })),
});

export async function mustClaim(store: Store, some: Partial<Claims>): Promise<Claim> {
  const claimed = await store.claim(claims(some));
  if (!claimed.ok) throw new Error(claimed.reason.state);
  return claimed.value;
}

async function refusal(store: Store, some: Partial<Claims>): Promise<string> {
  const claimed = await store.claim(claims(some));
  return claimed.ok ? 'claimed' : claimed.reason.state;
}

/** What every store does (docs/contract.md, "One effect per key"). Keys last for a day. */
export const LAWS: readonly [title: string, law: (store: Store) => Promise<void>][] = [
  ['knows nothing of a new key', async (store) => expect(await store.find(key())).toBeUndefined()],
  [
    'has a claimed key in progress, then its outcome byte for byte',
    async (store) => {
      const mine = key();
      const claim = await mustClaim(store, { key: mine });
      expect(claim.isHeld()).toBe(true);
      expect(await store.find(mine)).toEqual({ state: 'in_progress' });
      expect(await refusal(store, { key: mine })).toBe('in_progress');
      const stored = { json: Buffer.from('{ "outcome":"success","body":1.50e0}') };
      await claim.settle(stored);
      expect(await store.find(mine)).toEqual({ state: 'done', outcome: stored });
      expect(await refusal(store, { key: mine })).toBe('done');
    },
  ],
  [
    'reports another action first, in every state',
    async (store) => {
      const mine = key();
      const other = { ...mine, action: 'b' };
      const claim = await mustClaim(store, { key: mine });
      expect(await store.find(other)).toEqual({ state: 'other_action' });
      await claim.settle(outcome());
      expect(await store.find(other)).toEqual({ state: 'other_action' });
      expect(await refusal(store, { key: other })).toBe('other_action');
    },
  ],
  [
    'frees a released key and approval, but not the token',
    async (store) => {
      const all = { key: key(), token: use(), approval: use() };
      await (await mustClaim(store, all)).release();
      expect(await store.find(all.key)).toBeUndefined();
      expect(await refusal(store, all)).toBe('token_used');
      expect(await store.find(all.key)).toBeUndefined();
      await mustClaim(store, { ...all, token: use() });
    },
  ],
  [
    'has an abandoned key as unknown for good',
    async (store) => {
      const mine = key();
      await (await mustClaim(store, { key: mine })).abandon();
      expect(await store.find(mine)).toEqual({ state: 'unknown' });
      expect(await refusal(store, { key: mine })).toBe('unknown');
    },
  ],
  [
    'claims everything or nothing, and refuses the key, then the token, then the approval',
    async (store) => {
      const all = { key: key(), token: use(), approval: use() };
      await mustClaim(store, all);
      expect(await refusal(store, all)).toBe('in_progress');
      const fresh = key();
      expect(await refusal(store, { ...all, key: fresh })).toBe('token_used');
      const token = use();
      expect(await refusal(store, { ...all, key: fresh, token })).toBe('approval_used');
      expect(await store.find(fresh)).toBeUndefined();
      await mustClaim(store, { key: fresh, token });
    },
  ],
  [
    'forgets a use after its time, not before',
    async (store) => {
      const old = use(undefined, Date.now() - 1_000);
      const fresh = use(undefined, Date.now() + 60_000);
      await mustClaim(store, { token: old, approval: fresh });
      await mustClaim(store, { token: old });
      expect(await refusal(store, { token: old, approval: fresh })).toBe('approval_used');
    },
  ],
  [
    'lets exactly one of many claims win: key, token and approval alike',
    async (store) => {
      for (const one of [{ key: key() }, { token: use() }, { approval: use() }]) {
        const mixed = (index: number) => (index % 2 ? one : { ...one, token: one.token ?? use() });
        const all = Array.from({ length: 40 }, (_, index) => store.claim(claims(mixed(index))));
        expect((await Promise.all(all)).filter(({ ok }) => ok)).toHaveLength(1);
      }
    },
  ],
  [
    'refuses some of many concurrent claims without failing the others',
    async (store) => {
      const used = { key: key(), token: use(), approval: use() };
      await mustClaim(store, used);
      const [withToken, withApproval] = [key(), { key: key(), token: use() }];
      const expected: [some: Partial<Claims>, state: string][] = [
        [{ key: key() }, 'claimed'],
        [{ key: used.key }, 'in_progress'],
        [{ key: withToken, token: used.token }, 'token_used'],
        [{ ...withApproval, approval: used.approval }, 'approval_used'],
        [{ key: key(), token: use(), approval: use() }, 'claimed'],
        [{ token: use() }, 'claimed'],
      ];
      const states = await Promise.all(expected.map(([some]) => refusal(store, some)));
      expect(states).toEqual(expected.map(([, state]) => state));
      await mustClaim(store, { key: withToken });
      await mustClaim(store, withApproval);
    },
  ],
  [
    'stores each of many concurrent outcomes under its own key',
    async (store) => {
      const keys = Array.from({ length: 100 }, () => key());
      const claimed = await Promise.all(keys.map((each) => mustClaim(store, { key: each })));
      const ends = claimed.map((claim, index) => () => {
        return index % 10 === 0 ? claim.abandon() : claim.settle(outcome(index));
      });
      await Promise.all(ends.map((end) => end()));
      const known = await Promise.all(keys.map(store.find));
      expect(known).toEqual(
        keys.map((_, index) =>
          index % 10 === 0 ? { state: 'unknown' } : { state: 'done', outcome: outcome(index) },
        ),
      );
    },
  ],
  [
    'stores an outcome up to 1 MiB whole, and a larger one without its body',
    async (store) => {
      const room = 1024 * 1024 - outcome('').json.length;
      for (const [size, isWhole] of [
        [room, true],
        [room + 1, false],
      ] as const) {
        const mine = key();
        const given = outcome('x'.repeat(size));
        await (await mustClaim(store, { key: mine })).settle(given);
        const known = await store.find(mine);
        const json = known?.state === 'done' ? known.outcome.json.toString() : '';
        const whole = { outcome: 'success', attempts: 1, body: 'x'.repeat(size) };
        const without = { outcome: 'success', attempts: 1, body_omitted: true };
        expect(JSON.parse(json)).toEqual(isWhole ? whole : without);
      }
    },
  ],
];
