import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startCanary } from './support/canary.ts';
import { CARRIERS, PUBLIC, REFUSED, urlHost } from './support/destinations.ts';
import { type Executor, startExecutor } from './support/executor.ts';
import { resolver } from './support/resolver.ts';

const ADDRESSES = [...REFUSED.map(({ address }) => address), ...PUBLIC];
const HOSTS = ADDRESSES.map(urlHost);

const { resolve, queries } = resolver({});
const start = (allowed: readonly string[]) =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: allowed.join(','),
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '0.0.0.0/0,::/0',
    },
    connect: { resolve },
  });
const canary = shared(startCanary);

/**
 * What comes of an action, in short; a dry run shows that the guard lets it through
 * without a connection.
 */
async function ask(executor: Executor, url: string, dryRun = false): Promise<unknown> {
  const response = await (dryRun ? executor.dryRun : executor.execute)({ method: 'POST', url });
  const { code, addresses } = (await response.json()) as { code?: string; addresses?: string[] };
  return code === undefined
    ? { status: response.status, addresses }
    : { status: response.status, code };
}

const NOT_LISTED = { status: 403, code: 'HostNotAllowed' };

describe(`each of ${HOSTS.length} addresses in a URL`, () => {
  const closed = shared(() => start(['localhost', '*.test', 'api.test:1']));
  const listed = shared(() => start(ADDRESSES));
  const listedOtherPort = shared(() => start(HOSTS.map((host) => `${host}:1`)));

  it('is refused unless it is on the list, whatever networks are open', async () => {
    for (const host of HOSTS) {
      const url = `http://${host}:${canary().port}/`;
      expect(await ask(closed(), url), host).toEqual(NOT_LISTED);
      expect(await ask(listedOtherPort(), url), host).toEqual(NOT_LISTED);
    }
  });

  it('reaches itself where it is on the list', async () => {
    for (const host of HOSTS) {
      const url = `http://${host}:${canary().port}/`;
      const expected = { status: 200, addresses: [host.replace(/^\[|\]$/g, '')] };
      expect(await ask(listed(), url, true), host).toEqual(expected);
    }
  });
});

describe('an address on the list', () => {
  const inner = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '8.8.8.8'];
  const carried = inner.flatMap((address) => CARRIERS.map((carry) => urlHost(carry(address))));
  const plain = shared(() => start(inner));
  const wrapped = shared(() => start(carried));

  it('is none of those that carry it, and none that it carries', async () => {
    for (const host of carried)
      expect(await ask(plain(), `http://${host}:${canary().port}/`), host).toEqual(NOT_LISTED);
    for (const host of inner)
      expect(await ask(wrapped(), `http://${host}:${canary().port}/`), host).toEqual(NOT_LISTED);
  });
});

describe('the table', () => {
  it('has asked no resolver and has led nobody to the canary', () => {
    expect({ queries, connections: canary().connections }).toEqual({ queries: [], connections: 0 });
  });
});
