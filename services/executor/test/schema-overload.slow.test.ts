import { startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { readProblem } from './support/executor.ts';
import { startProcess } from './support/process.ts';

/** More schemas than the threads can compile within the second that each one waits. */
const SCHEMAS = 600;
const AT_ONCE_MS = 9_000;
const PATIENCE = { timeout: 60_000, interval: 100 };

const nested = (levels: number): object =>
  levels === 0 ? { pattern: '^a+$' } : { anyOf: [1, 2].map(() => nested(levels - 1)) };
const costly = (n: number) => ({ title: `number ${n}`, anyOf: [{ type: 'object' }, nested(6)] });

it('a flood of new schemas gets 429s, blames no schema and does not delay other callers', {
  timeout: 180_000,
}, async () => {
  await using upstream = await startUpstream();
  await using service = await startProcess();
  const known = { method: 'GET', url: upstream.origin, response_schema: { type: 'object' } };
  await service.success(known);
  const started = performance.now();
  const flood = Array.from({ length: SCHEMAS }, (_, n) =>
    service.execute({ ...known, response_schema: costly(n) }),
  );
  const first = Promise.any(
    flood.map(async (answer) => {
      const response = await answer;
      if (response.status !== 429) throw new Error(`was answered with ${response.status}`);
      return response;
    }),
  );
  const refused = (await first).clone();
  expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await readProblem(refused)).toMatchObject({
    code: 'TooManyRequests',
    detail: expect.stringMatching(/^Nothing was sent.*schemas/),
  });
  await service.success(known);
  await service.success({ method: 'GET', url: upstream.origin });
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 429]);
  const afterwards = async () =>
    (await service.execute({ ...known, response_schema: costly(SCHEMAS) })).status;
  await expect.poll(afterwards, PATIENCE).toBe(200);
});
