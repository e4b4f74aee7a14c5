import { validateHeaderValue } from 'node:http';
import { reply, shared, startUpstream } from '@gatehouse/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCanary } from './support/canary.ts';
import { startExecutor } from './support/executor.ts';
import { hostileUrls } from './support/hostile-urls.ts';

const RUNS = 4_000;
const REDIRECTS = 2_000;

/** Where the upstream's next answer leads. */
let location: string | undefined;
/**
 * The hosts that were looked for or asked since the last reset, with their port where it
 * is known.
 */
let reached: string[] = [];

const canary = shared(startCanary);
const upstream = await startUpstream(({ url, headers }, response) => {
  reached.push(headers.host ?? '');
  if (location === undefined || url !== '/start') reply(response, {});
  else
    reply(response, {
      status: 302,
      headers: { location: Buffer.from(location).toString('latin1') },
    });
});

/**
 * No name leads anywhere, so that nothing leaves the machine; that it was looked for is
 * what counts.
 */
const executor = shared(() =>
  startExecutor({
    env: {
      HTTP_EXECUTOR_ALLOWED_HOSTS: `api.test,*.wild.test,bücher.test,port.test:8080,127.0.0.1:${upstream.port}`,
    },
    connect: {
      resolve: (hostname, callback) => {
        reached.push(hostname);
        queueMicrotask(() =>
          callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []),
        );
      },
    },
  }),
);

/** What the allowlist above means, said without any parser of URLs. */
const LISTED = new RegExp(
  `^(?:api\\.test|[^/?#@:\\\\\\s]+\\.wild\\.test|xn--bcher-kva\\.test|port\\.test|127\\.0\\.0\\.1:${upstream.port})$`,
);

const urls = () =>
  hostileUrls([
    ...[
      'api.test',
      'v1.wild.test',
      'wild.test',
      'xwild.test',
      'bücher.test',
      'xn--bcher-kva.test',
      'port.test:8080',
      'port.test',
    ],
    ...[
      `127.0.0.1:${upstream.port}`,
      `127.0.0.1:${canary().port}`,
      `[::1]:${canary().port}`,
      'localhost',
      '127.1',
    ],
    ...[
      `localhost:${canary().port}`,
      `0.0.0.0:${canary().port}`,
      '169.254.169.254',
      '[::ffff:127.0.0.1]',
      'evil.test',
    ],
  ]);

beforeEach(() => {
  location = undefined;
  reached = [];
});

describe('for any URL', () => {
  it(`in ${RUNS} actions: it is refused, or leads to a host on the list`, {
    timeout: 120_000,
  }, async () => {
    const seen = { refused: 0, malformed: 0, reached: 0 };
    const property = fc.asyncProperty(urls(), async (url) => {
      reached = [];
      const before = upstream.connections;
      const response = await executor().execute({ method: 'POST', url });
      const body = await response.text();
      // TLS, which the upstream does not speak: it was dialled, although no request
      // arrived.
      if (reached.length === 0 && upstream.connections > before)
        reached.push(upstream.origin.slice('http://'.length));
      expect([200, 400, 403], body).toContain(response.status);
      if (response.status === 200) expect(reached.length, body).toBeGreaterThan(0);
      else expect(reached, body).toEqual([]);
      for (const host of reached) expect(host).toMatch(LISTED);
      seen[
        response.status === 200 ? 'reached' : response.status === 403 ? 'refused' : 'malformed'
      ] += 1;
    });
    await fc.assert(property, { numRuns: RUNS });
    // Each answer is given often enough that the property says something about it.
    for (const [answer, count] of Object.entries(seen))
      expect(count, answer).toBeGreaterThan(RUNS / 50);
  });

  it(`in ${REDIRECTS} redirects: it is not followed, or leads to a host on the list`, {
    timeout: 120_000,
  }, async () => {
    const start = { method: 'GET', url: `${upstream.origin}/start` };
    let followed = 0;
    const property = fc.asyncProperty(urls().filter(isHeaderValue), async (target) => {
      reached = [];
      location = target;
      const response = await executor().execute({ ...start, method: 'POST' });
      expect(response.status, await response.text()).toBe(200);
      for (const host of reached) expect(host).toMatch(LISTED);
      followed += reached.length > 1 ? 1 : 0;
    });
    await fc.assert(property, { numRuns: REDIRECTS });
    expect(followed).toBeGreaterThan(REDIRECTS / 50);
  });

  it('nothing arrived at the canary', () => {
    expect(canary().connections).toBe(0);
  });
});

function isHeaderValue(text: string): boolean {
  try {
    validateHeaderValue('location', Buffer.from(text).toString('latin1'));
    return true;
  } catch {
    return false;
  }
}
