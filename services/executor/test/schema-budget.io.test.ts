import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

/** How long an answer may take at most; far above any sensible budget of a schema. */
const PATIENCE_MS = 15_000;

const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { anyOf: [1, 2].map(() => nested(levels - 1)) };

const doubling = Object.fromEntries(
  Array.from({ length: 26 }, (_, n) => [
    `d${n}`,
    { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/d${n + 1}` })) },
  ]),
);

const many = Array.from({ length: 60_000 }, (_, n) => ({ n: Math.max(n, 1) }));
const wall = `${'a'.repeat(40)}!`;

/**
 * Bodies that are invalid, and schemas with which a naive validator takes seconds to
 * years to find out.
 */
const STALLING: [name: string, schema: object, body: unknown][] = [
  ['a pattern that backtracks', { pattern: '^(a+)+$' }, wall],
  [
    'a property pattern',
    { patternProperties: { '^(a|a)*$': {} }, additionalProperties: false },
    { [wall]: 1 },
  ],
  ['uniqueItems over many objects', { uniqueItems: true }, many],
  [
    'doubling references',
    { $ref: '#/$defs/d0', $defs: { ...doubling, d26: { type: 'string' } } },
    1,
  ],
];

// contract: "no schema and no response may stall the service; over its time budget the
// answer is SchemaValidationFailed".
describe('a schema that would stall the service', () => {
  const service = shared(startProcess);

  it.each(STALLING)('%s', async (_name, response_schema, body) => {
    await using upstream = await startUpstream({ body: JSON.stringify(body) });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const asked = expect.poll(() => upstream.requests.length).toBe(1);
    const [health, outcome] = await Promise.all([
      asked.then(() => fetch(`${service().url}/healthz`, { signal })),
      service().execute({ method: 'GET', url: upstream.origin, response_schema }, { signal }),
    ]);
    expect(health.status).toBe(200);
    expect(await outcome.json()).toMatchObject({ error: 'SchemaValidationFailed', attempts: 1 });
  });

  it.each([
    [9, [200]],
    // A slow machine may refuse so many: they take longer than the budget.
    [13, [200, 400]],
  ])('at compilation: %i levels of two each', async (levels, statuses) => {
    await using upstream = await startUpstream();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const action = { method: 'GET', url: upstream.origin, response_schema: nested(levels) };
    const [response, health] = await Promise.all([
      service().execute(action, { signal }),
      fetch(`${service().url}/healthz`, { signal }),
    ]);
    expect(health.status).toBe(200);
    expect(statuses).toContain(response.status);
  });
});
