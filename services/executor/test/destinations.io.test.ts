import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startCanary } from './support/canary.ts';
import { fakeClock } from './support/clock.ts';
import { PUBLIC, REFUSED } from './support/destinations.ts';
import { readProblem, startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { resolver } from './support/resolver.ts';

const LOCAL = '127.0.0.1';

const refused = REFUSED.map((row, index) => ({ ...row, host: `refused${index}` }));
const mixed = refused.filter(({ address }) => address !== LOCAL);
const open = PUBLIC.map((address, index) => ({ address, host: `public${index}` }));

/**
 * Under `.alone.test` a name leads to its address alone, under the others also to the
 * upstream: after or before.
 */
const names = [...refused, ...open].flatMap(({ address, host }): [string, string[][]][] => [
  [`${host}.alone.test`, [[address]]],
  [`${host}.first.test`, [[address, LOCAL]]],
  [`${host}.last.test`, [[LOCAL, address]]],
]);
const { resolve } = resolver(Object.fromEntries(names));

const start = (networks: string) =>
  startExecutor({
    env: { HTTP_EXECUTOR_ALLOWED_HOSTS: '*.test', HTTP_EXECUTOR_ALLOWED_NETWORKS: networks },
    clock: fakeClock(),
    connect: { resolve },
  });
const closed = shared(() => start(''));
const withLocal = shared(() => start(`${LOCAL}/32`));
const withAll = shared(() => start('0.0.0.0/0,::/0'));
const canary = shared(startCanary);
const upstream = shared(startUpstream);

const at = (host: string, port = canary().port) => `http://${host}:${port}/`;
const get = (url: string) => ({ method: 'GET', url });

/** The reason in the answer names the class of the address. */
const because = (kind: string) =>
  textWith(`its address is ${kind === 'cloud metadata' ? `a ${kind} service` : kind}`);

describe(`each of ${REFUSED.length} refused addresses behind an allowed name`, () => {
  it('is refused, whatever is asked', async () => {
    for (const { host, kind, address } of refused) {
      const url = at(`${host}.alone.test`);
      const expected = { status: 403, code: 'AddressNotAllowed', detail: because(kind) };
      expect(await closed().problem(get(url)), address).toMatchObject(expected);
      expect(await closed().problem({ method: 'POST', url }), address).toMatchObject(expected);
      expect(await readProblem(await closed().dryRun(get(url))), address).toMatchObject(expected);
    }
  });

  it('before or after one that is allowed', async () => {
    for (const { host, kind, address } of mixed)
      for (const order of ['first', 'last']) {
        const url = at(`${host}.${order}.test`, upstream().port);
        const expected = { code: 'AddressNotAllowed', detail: because(kind) };
        expect(await withLocal().problem(get(url)), `${address} ${order}`).toMatchObject(expected);
      }
    expect(upstream().connections).toBe(0);
  });

  it('where an operator opened all networks: only cloud metadata stays refused', async () => {
    for (const { host, kind, address } of refused) {
      const answer = await withAll().dryRun(get(at(`${host}.alone.test`)));
      if (kind === 'cloud metadata') {
        const expected = { code: 'AddressNotAllowed', detail: because(kind) };
        expect(await readProblem(answer), address).toMatchObject(expected);
      } else {
        const expected = { outcome: 'dry_run', addresses: [address] };
        expect(await answer.json(), address).toMatchObject(expected);
      }
    }
  });
});

describe(`each of ${PUBLIC.length} public addresses behind an allowed name`, () => {
  it('would be connected to', async () => {
    for (const { host, address } of open) {
      const answer = await closed().dryRun(get(at(`${host}.alone.test`)));
      const expected = { outcome: 'dry_run', addresses: [address] };
      expect(await answer.json(), address).toMatchObject(expected);
    }
  });

  // The upstream comes first and accepts at once, so that no packet is sent to the other
  // address.
  it('lets a real request through', async () => {
    for (const { host } of open)
      await withLocal().success(get(at(`${host}.last.test`, upstream().port)));
  });
});

describe('the table', () => {
  it('has 150 destinations and more, none twice', () => {
    const all = [...REFUSED.map(({ address }) => address), ...PUBLIC];
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(all.filter((address, index) => all.indexOf(address) !== index)).toEqual([]);
  });

  it('has led nobody to the canary', () => {
    expect({ addresses: canary().addresses, connections: canary().connections }).toEqual({
      addresses: expect.arrayContaining([LOCAL]),
      connections: 0,
    });
  });
});
