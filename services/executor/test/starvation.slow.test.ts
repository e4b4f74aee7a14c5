import { setTimeout as delay } from 'node:timers/promises';
import { startUpstream } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { startProcess } from './support/process.ts';

const ATTACK_MS = 8_000;

/**
 * Schema for which checking `SLOW_BODY` exceeds any time budget. Each number makes a different
 * schema.
 */
const slowSchema = (number: number) => ({
  title: `slow ${number}`,
  properties: { a: { pattern: '^(?=(a+)+$)' } },
});
const SLOW_BODY = { a: `${'a'.repeat(48)}!` };
const LARGE_BODY = JSON.stringify(Array.from({ length: 80_000 }, () => SLOW_BODY));

/** Errors that an attacking caller may get. */
const ERRORS = new Set(['SchemaValidationFailed', 'RequestFailed', 'TooManyRequests']);

// A service that is merely busy must not report that the schema is too expensive (docs/contract.md,
// "response_schema").
it.each([
  ['forty callers with slow schemas', '/slow', 40, slowSchema],
  [
    'ten callers with slow schemas and 9 MB bodies',
    '/large',
    10,
    (number: number) => ({ items: slowSchema(number) }),
  ],
] as const)(
  '%s delay each other, but not other callers',
  {
    timeout: 60_000,
  },
  async (_name, path, callers, schemaOf) => {
    await using upstream = await startUpstream((request, response) => {
      const body = JSON.stringify(request.url === '/slow' ? SLOW_BODY : { id: 1 });
      response.setHeader('content-type', 'application/json');
      response.end(request.url === '/large' ? LARGE_BODY : body);
    });
    await using service = await startProcess();
    const post = async (to: string, response_schema: object) => {
      const started = performance.now();
      const url = `${upstream.origin}${to}`;
      const response = await service.execute({ method: 'POST', url, response_schema });
      const { outcome, error, code } = (await response.json()) as Record<string, string>;
      return { outcome, error: error ?? code, ms: performance.now() - started };
    };
    let attacking = true;
    let schemas = 0;
    const attacks = Array.from({ length: callers }, async () => {
      const errors: unknown[] = [];
      while (attacking) errors.push((await post(path, schemaOf(schemas++))).error);
      return errors;
    });
    const answers = [];
    for (const end = performance.now() + ATTACK_MS; performance.now() < end; ) {
      answers.push(await post('/', { title: `new ${answers.length}`, required: ['id'] }));
      await delay(200);
    }
    attacking = false;
    expect(answers.filter(({ outcome }) => outcome !== 'success')).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(5_000);
    const errors = (await Promise.all(attacks)).flat();
    expect(errors).not.toEqual([]);
    expect(errors.filter((error) => !ERRORS.has(String(error)))).toEqual([]);
  },
);
