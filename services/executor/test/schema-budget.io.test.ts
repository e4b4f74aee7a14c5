import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

/** Maximum time for an answer, far above the time budget of a schema. */
const PATIENCE_MS = 150_000;

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

/** Invalid bodies, and schemas for which a naive validator needs seconds to years. */
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

// docs/contract.md, "Response schema".
describe('a schema that would stall the service', () => {
  const service = shared(startProcess);

  /** Executes an action, again while the machine is too busy for a verdict. */
  async function answerTo(action: object): Promise<{ status: number; answer: object }> {
    for (const signal = AbortSignal.timeout(PATIENCE_MS); ; ) {
      const response = await service().execute(action, { signal });
      const answer = (await response.json()) as { message?: string };
      if (response.status !== 429 && !/too many other bodies/.test(answer.message ?? ''))
        return { status: response.status, answer };
    }
  }

  const health = async () => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return (await fetch(`${service().url}/healthz`, { signal })).status;
  };

  it.each(STALLING)('%s', async (_name, response_schema, body) => {
    await using upstream = await startUpstream({ body: JSON.stringify(body) });
    const asked = expect.poll(() => upstream.requests.length).toBeGreaterThan(0);
    const [alive, { answer }] = await Promise.all([
      asked.then(health),
      answerTo({ method: 'GET', url: upstream.origin, response_schema }),
    ]);
    expect(alive).toBe(200);
    expect(answer).toMatchObject({ error: 'SchemaValidationFailed', attempts: 1 });
  });

  const COMPILED = { status: 200, answer: expect.objectContaining({ outcome: 'success' }) };
  const REFUSED = {
    status: 400,
    answer: expect.objectContaining({ code: 'InvalidResponseSchema' }),
  };

  const LATE = {
    status: 200,
    answer: expect.objectContaining({ message: expect.stringContaining('than its time budget') }),
  };

  it.each([
    [9, [COMPILED]],
    // On a slow machine this may exceed the budget, before or after the request.
    [13, [COMPILED, REFUSED, LATE]],
  ])('at compilation: %i levels of two each', async (levels, expected) => {
    await using upstream = await startUpstream({ body: '"a"' });
    const [answered, alive] = await Promise.all([
      answerTo({ method: 'GET', url: upstream.origin, response_schema: nested(levels) }),
      health(),
    ]);
    expect(alive).toBe(200);
    expect(expected).toContainEqual(answered);
  });
});
