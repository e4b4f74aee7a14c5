import { shared, startService } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const JSON_TYPE = { 'content-type': 'application/json' };

async function answerTo(
  url: string,
  body: string,
  headers: Record<string, string> = JSON_TYPE,
): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const answer = await response.text();
  return `${response.status} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ''}`.trim();
}

async function tally(count: number, ask: () => Promise<string>): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  const askInTurn = async () => {
    for (let n = 0; n < count / 5; n++) {
      const answer = await ask();
      times[answer] = (times[answer] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 5 }, askInTurn));
  return times;
}

const MEGABYTES = [1.5, 5, 12];
const textOf = (megabytes: number) => `"${'x'.repeat(megabytes * 1e6)}"`;

const SLOW = { timeout: 60_000 };

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

        it.each([
          [
            '/execute',
            () => JSON.stringify({ method: 'GET', url: `${upstreams().policy}/healthz` }),
          ],
          ['/policy/check', () => '{}'],
        ])(
          '%s: too large bodies all get a 413, and no replica is considered down',
          async (path, fine) => {
            for (const megabytes of MEGABYTES) {
              const body = textOf(megabytes);
              expect(await tally(20, () => answerTo(running.url + path, body))).toEqual({
                '413 PayloadTooLarge': 20,
              });
              expect(await tally(50, () => answerTo(running.url + path, fine()))).toEqual({
                '200': 50,
              });
            }
          },
        );

        it.each([
          ['/nowhere', JSON_TYPE, '404 NotFound'],
          ['/sandbox', JSON_TYPE, '405 MethodNotAllowed'],
          ['/execute', { 'content-type': 'text/plain' }, '415 UnsupportedMediaType'],
          ['/execute', { ...JSON_TYPE, 'content-encoding': 'gzip' }, '415 UnsupportedMediaType'],
        ])(
          '%s with %j: other refusals of large bodies also arrive',
          async (path, headers, answer) => {
            const body = textOf(5);
            expect(await tally(10, () => answerTo(running.url + path, body, headers))).toEqual({
              [answer]: 10,
            });
          },
        );
      },
    );
  },
);
