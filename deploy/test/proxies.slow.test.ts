import { shared, startService } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_TYPE, POSTS, postByFetch, tally } from './support/posts.ts';
import {
  PROXIES,
  programOf,
  type RunningProxy,
  startProxy,
  type Upstreams,
} from './support/proxies.ts';

const found = PROXIES.map((proxy) => ({ proxy, program: programOf(proxy) }));
const missing = found.filter(({ program }) => program === undefined).map(({ proxy }) => proxy.name);
if (missing.length > 0)
  console.warn(
    `LEFT OUT: ${missing.join(', ')}, which are not installed, in front of the services.`,
  );

const services = [
  shared(() => startService('policy')),
  shared(() => startService('executor')),
  shared(() => startService('executor')),
] as const;
const upstreams = (): Upstreams => {
  const [policy, ...executors] = services.map((service) => service().url);
  return { policy: policy ?? '', executors };
};

/** Sizes up to the largest body that a service reads to its end. */
const MEGABYTES = [2, 7.9, 12];
const textOf = (megabytes: number) => `"${'x'.repeat(megabytes * 1e6)}"`;

const SLOW = { timeout: 120_000 };

/** Checks that too large bodies get a 413, and that the same client's next request gets a 200. */
async function expectRefusals(url: string, fine: string): Promise<void> {
  for (const megabytes of MEGABYTES) {
    const body = textOf(megabytes);
    for (const [client, post] of Object.entries(POSTS)) {
      const what = `${megabytes} MB by ${client}`;
      const ask = async () => `${await post(url, body)}, ${await post(url, fine)}`;
      expect(await tally(40, ask), what).toEqual({ '413 PayloadTooLarge, 200': 40 });
    }
  }
}

it('too large bodies get a 413 directly', SLOW, () =>
  expectRefusals(`${upstreams().policy}/policy/check`, '{}'),
);

describe.each(found.map(({ proxy, program }) => ({ name: proxy.name, proxy, program })))(
  '$name',
  ({ proxy, program }) => {
    describe.skipIf(program === undefined)(
      program === undefined ? 'is skipped, because it is not installed' : 'in front',
      SLOW,
      () => {
        let running: RunningProxy;
        beforeAll(async () => {
          running = await startProxy(proxy, program ?? '', upstreams());
        }, SLOW.timeout);
        afterAll(() => running?.[Symbol.asyncDispose]());

        it('too large bodies all get a 413, and no replica is considered down', () => {
          const fine = { method: 'GET', url: `${upstreams().policy}/healthz` };
          return expectRefusals(`${running.url}/execute`, JSON.stringify(fine));
        });

        it.each([
          ['/nowhere', JSON_TYPE, '404 NotFound'],
          ['/sandbox', JSON_TYPE, '405 MethodNotAllowed'],
          ['/execute', { 'content-type': 'text/plain' }, '415 UnsupportedMediaType'],
          ['/execute', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '415 UnsupportedMediaType'],
        ])(
          '%s with %j: other refusals of large bodies also arrive',
          async (path, headers, answer) => {
            const body = textOf(5);
            const post = postByFetch(headers);
            expect(await tally(10, () => post(running.url + path, body))).toEqual({
              [answer]: 10,
            });
          },
        );
      },
    );
  },
);
