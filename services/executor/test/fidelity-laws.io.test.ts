import { shared } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { jsonText } from './support/json-arbitraries.ts';
import { bare, bytesOf, firstDifference, leavesOf, sliceOf } from './support/json-text.ts';
import { startSite } from './support/site.ts';
import { actionText, executeText, outcomeText } from './support/wire.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

const RUNS = { numRuns: 400 };
const HEADERS = [
  {},
  { authorization: 'Bearer Zq7-pX2vK9mW4tR8yB1nC6dF3gH5jL0s' },
  { 'x-api-key': 'zk48Qx-9' },
];

/**
 * Whether an action may hold it: each member once, and none that reaches for a prototype.
 */
const sendable = (text: string) =>
  leavesOf(JSON.stringify(JSON.parse(text))).length === leavesOf(text).length &&
  !/__proto__/.test(text);

/** As the body of an action, null means none. */
const aBody = jsonText().filter((text) => text !== 'null');

describe('any JSON', () => {
  it('reaches the caller as the upstream wrote it, byte by byte', async () => {
    const property = fc.asyncProperty(
      jsonText(),
      fc.constantFrom(...HEADERS),
      async (text, headers) => {
        const answer = await outcomeText(executor(), {
          url: site().serve({ body: text }),
          headers,
        });
        expect(answer).toMatch(/^\{"outcome":"success"/);
        const got = sliceOf(answer, 'body');
        expect(firstDifference(bytesOf(text), got)).toBeUndefined();
        expect(bare(got)).toBe(bytesOf(bare(text)));
      },
    );
    await fc.assert(property, RUNS);
  });

  it('reaches the upstream as the caller wrote it, or is refused', async () => {
    const property = fc.asyncProperty(aBody, fc.constantFrom(...HEADERS), async (text, headers) => {
      const url = site().serve({});
      const { status } = await executeText(executor(), actionText({ url, headers, body: text }));
      const [request] = site().received(url);
      expect(status).toBe(sendable(text) ? 200 : 400);
      if (status === 400) return;
      expect(firstDifference(bytesOf(text), bytesOf(request?.body ?? ''))).toBeUndefined();
      expect(bare(request?.body ?? '')).toBe(bare(text));
    });
    await fc.assert(property, RUNS);
  });
});
