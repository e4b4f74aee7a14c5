import { success } from '@gatehouse/contracts';
import { JsonText } from '@gatehouse/contracts/json';
import { afterAll, expect, it, vi } from 'vitest';
import { ResponseSchemas } from '../../src/threads/response-schemas.ts';
import { Threads } from '../../src/threads/threads.ts';
import { threadHeapMb } from '../../src/validate.ts';

const threads = new Threads({ heapMb: threadHeapMb(10 * 1024 * 1024) });
afterAll(() => threads.close());
const schemas = new ResponseSchemas(threads);

/** Stands in for threads, and counts the compilations. */
function fakeThreads(results: unknown[]) {
  const run = vi.fn(async () => results.shift());
  return { run, schemas: new ResponseSchemas({ run } as unknown as Threads) };
}
const SLOW = { pattern: 'a' };

it('compiles a quick schema at once, and others on a thread', async () => {
  expect(await schemas.accept({ type: 'null' }, 'a')).toMatchObject({
    ok: true,
    value: { text: '{"type":"null"}', inline: { maxBodyBytes: 65_536 } },
  });
  expect(await schemas.accept(SLOW, 'a')).toEqual(success({ text: '{"pattern":"a"}' }));
  expect(await schemas.accept(new JsonText('{ "pattern" : "b" }'), 'a')).toEqual(
    success({ text: '{ "pattern" : "b" }' }),
  );
});

it.each([{ type: 'text' }, { type: 'text', pattern: 'a' }])(
  'names the place: %j',
  async (schema) => {
    expect(await schemas.accept({ items: schema }, 'a')).toMatchObject({
      ok: false,
      reason: {
        pointer: '/response_schema/items/type',
        message: expect.stringMatching(/^must be one/),
      },
    });
  },
);

it('limits the size in UTF-8 bytes', async () => {
  const [schema, bytes] = [{ title: 'é' }, 14];
  expect(await new ResponseSchemas(threads, bytes).accept(schema, 'a')).toMatchObject({ ok: true });
  expect(await new ResponseSchemas(threads, bytes - 1).accept(schema, 'a')).toEqual({
    ok: false,
    reason: { pointer: '/response_schema', message: 'has 14 bytes, but may have 13' },
  });
});

it('compiles a schema only once, also for other callers', async () => {
  const fake = fakeThreads([success(undefined)]);
  for (const caller of ['a', 'a', undefined, 'b'])
    expect(await fake.schemas.accept(SLOW, caller)).toMatchObject({ ok: true });
  expect(fake.run).toHaveBeenCalledTimes(1);
});

it.each([
  ['busy', 'busy'],
  [
    'out of time',
    { message: 'takes too much processor time (over 2 s) to compile; simplify it or leave it out' },
  ],
  ['out of memory', { message: 'takes too much memory to compile; simplify it or leave it out' }],
])('tries again later if a thread is %s', async (reason, found) => {
  const fake = fakeThreads([{ ok: false, reason }, success(undefined)]);
  const refused = await fake.schemas.accept(SLOW, 'a');
  expect(refused).toMatchObject({ ok: false, reason: found });
  expect(await fake.schemas.accept(SLOW, 'a')).toMatchObject({ ok: true });
});

it('tries again after an unexpected error', async () => {
  const mistake = new TypeError('a mistake of our own');
  const fake = fakeThreads([success(undefined)]);
  fake.run.mockRejectedValueOnce(mistake);
  await expect(fake.schemas.accept(SLOW, 'a')).rejects.toBe(mistake);
  expect(await fake.schemas.accept(SLOW, 'a')).toMatchObject({ ok: true });
});

it('accepts a large schema', async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `property${n}`);
  const properties = Object.fromEntries(
    names.map((name) => [name, { anyOf: [{ pattern: `^${name}` }, { $ref: '#/$defs/id' }] }]),
  );
  const schema = { properties, required: names, $defs: { id: { type: 'integer' } } };
  expect(JSON.stringify(schema).length).toBeGreaterThan(80_000);
  expect(await schemas.accept(schema, 'a')).toMatchObject({ ok: true });
});
