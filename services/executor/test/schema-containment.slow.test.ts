import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_JSON_DEPTH } from '@gatehouse/http-executor';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

/** Work that is begun anew, since the processor was busy, may take almost 2 s. */
const PATIENCE_MS = 4_000;
const HEALTH_MS = 100;
const POLL_MS = 20;

const range = <T>(length: number, each: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => each(n));
const nested = (levels: number, inner: unknown, wrap: (inner: unknown) => unknown): unknown =>
  range(levels, () => wrap).reduce((value, each) => each(value), inner);

const doubling = Object.fromEntries(
  range(24, (n) => [`d${n}`, { anyOf: [1, 2].map(() => ({ $ref: `#/$defs/d${n + 1}` })) }]),
);
const tree = { type: 'object', properties: { child: { $ref: '#' } }, required: ['id'] };
const family = (levels: number) => nested(levels - 1, { id: 1 }, (child) => ({ id: 1, child }));
const wall = `${'a'.repeat(40)}!`;

type Answer = 'InvalidResponseSchema' | 'ResponseNotJson' | 'SchemaValidationFailed' | 'success';

/** Named hostile pairs of schema and body, with the answers that are right. */
const HOSTILE: [name: string, answer: Answer, schema: object, body: unknown][] = [
  ['^(a+)+$', 'SchemaValidationFailed', { pattern: '^(a+)+$' }, wall],
  ['nested counts', 'SchemaValidationFailed', { pattern: '^((a{1,1000}){1,1000})$' }, wall],
  ['(x+x+)+y', 'SchemaValidationFailed', { pattern: '(x+x+)+y' }, 'x'.repeat(50_000)],
  ['look-ahead', 'SchemaValidationFailed', { pattern: '^(?=(a+)+$)a' }, wall],
  ['a back-reference', 'SchemaValidationFailed', { pattern: '^(a+)+\\1$' }, wall],
  ['names', 'SchemaValidationFailed', { patternProperties: { '^(?=(a+)+$)a': {} } }, { [wall]: 1 }],
  [
    'unique objects',
    'SchemaValidationFailed',
    { uniqueItems: true },
    range(20_000, (n) => ({ n: Math.max(n, 1) })),
  ],
  [
    'doubling',
    'SchemaValidationFailed',
    { $ref: '#/$defs/d0', $defs: { ...doubling, d24: { type: 'string' } } },
    1,
  ],
  [
    '1,500 levels',
    'InvalidResponseSchema',
    nested(1_500, {}, (items) => ({ items })) as object,
    [],
  ],
  [
    '40,000 properties',
    'InvalidResponseSchema',
    { properties: Object.fromEntries(range(40_000, (n) => [n, {}])) },
    {},
  ],
  ['a reference to itself', 'SchemaValidationFailed', { $ref: '#' }, {}],
  [
    'mutual references',
    'SchemaValidationFailed',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    {},
  ],
  ['a huge enum', 'success', { enum: range(10_000, String) }, '7'],
  ['a huge allOf', 'success', { allOf: range(6_000, () => ({ type: 'object' })) }, {}],
  ['a recursive schema, a deep body', 'success', tree, family(MAX_JSON_DEPTH)],
  ['a recursive schema, a body too deep', 'ResponseNotJson', tree, family(MAX_JSON_DEPTH + 1)],
];

/**
 * Asks for the health of a service all the time; the slowest answer so far, in
 * milliseconds.
 */
async function pollHealth(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!signal.aborted) {
    const before = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    slowest = Math.max(slowest, performance.now() - before);
    await sleep(POLL_MS);
  }
  return slowest;
}

// contract: "no schema and no response may stall the service".
describe('a hostile schema is answered while the service stays awake', () => {
  const service = shared(startProcess);

  async function during<T>(
    work: () => Promise<T>,
  ): Promise<{ result: T; slowest: number; took: number }> {
    const stop = new AbortController();
    const health = pollHealth(service().url, stop.signal);
    await sleep(5 * POLL_MS);
    const before = performance.now();
    const result = await work();
    const took = performance.now() - before;
    stop.abort();
    return { result, slowest: await health, took };
  }

  it.each(HOSTILE)('%s: %s', async (name, answer, response_schema, body) => {
    await using upstream = await startUpstream({ body: JSON.stringify(body) });
    const idle = await during(() => sleep(200));
    const action = { method: 'GET', url: upstream.origin, response_schema };
    const { result, slowest, took } = await during(async () => {
      const response = await service().execute(action);
      return (await response.json()) as { code?: string; error?: string; outcome?: string };
    });
    console.log(
      `${name}: ${took.toFixed(0)} ms; slowest health ${slowest.toFixed(0)}, idle ${idle.slowest.toFixed(0)}`,
    );
    expect(result.code ?? result.error ?? result.outcome).toBe(answer);
    expect(took).toBeLessThan(PATIENCE_MS);
    expect(slowest).toBeLessThan(HEALTH_MS);
  });
});
