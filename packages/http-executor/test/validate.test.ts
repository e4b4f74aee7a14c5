import { afterAll, expect, it, vi } from 'vitest';
import type { Answer } from '../src/decode.ts';
import { Cancelled } from '../src/index.ts';
import { ResponseSchemas } from '../src/threads/response-schemas.ts';
import { Threads } from '../src/threads/threads.ts';
import { maxParsedBytes, threadHeapMb, Validator } from '../src/validate.ts';

const MIB = 1024 * 1024;
const threads = new Threads({ heapMb: threadHeapMb(MIB) });
afterAll(() => threads.close());
const schemas = new ResponseSchemas(threads);

async function accepted(schema: object) {
  const result = await schemas.accept(schema, 'a');
  if (!result.ok) throw new Error(JSON.stringify(result.reason));
  return result.value;
}

const CALLER = { caller: 'a', signal: new AbortController().signal };

const answerOf = (json: string, status = 200): Answer => ({
  ...{ status, body: { kind: 'json', document: Buffer.from(json) } },
  ...{ links: {}, redirects: [], messages: [], violations: [], redactions: 0 },
});

async function violationsIn(schema: object, body: string, maxResponseBytes = MIB) {
  const validator = new Validator(threads, maxResponseBytes);
  return validator.validate(answerOf(body), await accepted(schema), CALLER);
}

const INTEGER = { type: 'object', properties: { a: { type: 'integer' } } };

it.each<[schema: object, body: string, pointers: string[]]>([
  [INTEGER, '{"a":1}', []],
  [INTEGER, '{"a":1.5}', ['/a']],
  [{}, '{"a":1.5,"a":2}', ['/a']],
  [{}, '[1e308,1e309]', ['/1']],
  [{}, '"é😀"', []],
])('%j %s gives the same result inline and on a thread', async (schema, body, pointers) => {
  const violations = pointers.map((pointer) => ({ pointer }));
  expect(await violationsIn(schema, body)).toMatchObject(violations);
  for (let round = 0; round < 2; round++)
    expect(await violationsIn({ pattern: '', ...schema }, body)).toMatchObject(violations);
});

it('checks bodies up to the limit of the schema inline, and larger ones on a thread', async () => {
  const run = vi.spyOn(threads, 'run');
  const body = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
  await violationsIn({ type: 'string' }, body(65_536));
  expect(run).toHaveBeenCalledTimes(0);
  await violationsIn({ type: 'string' }, body(65_537));
  expect(run).toHaveBeenCalledTimes(1);
  run.mockRestore();
});

it('checks bodies inline up to 256 bytes of names above a value, and others on a thread', async () => {
  const run = vi.spyOn(threads, 'run');
  const named = (bytes: number, value: string) => `{"${'n'.repeat(bytes - 2)}":${value}}`;
  await violationsIn({}, named(56, `[1,${named(200, '1')},${named(200, '1')}]`));
  await violationsIn({}, `[${named(200, '1')},${named(200, '1')}]`);
  expect(run).toHaveBeenCalledTimes(0);
  await violationsIn({}, named(57, `[1,${named(200, '1')}]`));
  await violationsIn({}, named(257, '1'));
  expect(run).toHaveBeenCalledTimes(2);
  run.mockRestore();
});

it('limits a parsed body to six times the response limit, or 8 MiB', async () => {
  const nested = (bytes: number) => `[${'[],'.repeat(Math.floor((bytes - 76) / 76) - 1)}[]]`;
  const tooLarge = [{ message: expect.stringContaining('too much memory once it is parsed') }];
  expect(await violationsIn({}, nested(8 * MIB))).toEqual([]);
  expect(await violationsIn({}, nested(8 * MIB + 76))).toMatchObject(tooLarge);
  expect(await violationsIn({}, nested(12 * MIB), 2 * MIB)).toEqual([]);
  expect([1, 2].map((mib) => maxParsedBytes(mib * MIB))).toEqual([8 * MIB, 12 * MIB]);
  expect([1, 10].map((mib) => threadHeapMb(mib * MIB))).toEqual([72, 124]);
});

it('says that a check ran out of time, and stops it with its thread', async () => {
  const schema = { properties: { a: { pattern: '^(?=(a+)+$)' } } };
  const body = JSON.stringify({ a: `${'a'.repeat(48)}!` });
  const message =
    'the body could not be checked: checking it took over 2 s of processor time; simplify the schema';
  expect(await violationsIn(schema, body)).toEqual([{ pointer: '', message }]);
  expect(await violationsIn(schema, '{"a":"a"}')).toEqual([]);
});

it.each([
  ['busy', 'no thread was free within 30 s'],
  ['out of memory', 'checking it took too much memory; simplify the schema'],
])('reports that a thread is %s', async (reason, says) => {
  const fake = { run: async () => ({ ok: false, reason }) } as unknown as Threads;
  const found = await new Validator(fake, MIB).validate(answerOf('1'), { text: '{}' }, CALLER);
  expect(found).toEqual([{ pointer: '', message: `the body could not be checked: ${says}` }]);
});

it('checks only the body of a success, and only against a schema', async () => {
  const validator = new Validator(threads, MIB);
  const schema = await accepted({ type: 'null' });
  for (const status of [200, 299])
    expect(await validator.validate(answerOf('1', status), schema, CALLER)).toHaveLength(1);
  for (const status of [199, 300, 404])
    expect(await validator.validate(answerOf('1', status), schema, CALLER)).toEqual([]);
  expect(await validator.validate(answerOf('1'), undefined, CALLER)).toEqual([]);
});

it('rejects when its signal is aborted', async () => {
  const validator = new Validator(threads, MIB);
  const gone = AbortSignal.abort(new Error('gone'));
  const schema = await accepted({ pattern: '' });
  await expect(
    validator.validate(answerOf('1'), schema, { caller: 'a', signal: gone }),
  ).rejects.toBeInstanceOf(Cancelled);
});

it('runs out of memory, rather than of the memory of the process, for too many errors', async () => {
  const body = `[${'1,'.repeat(5 * 10 ** 5)}1]`;
  const found = await violationsIn(
    { items: { anyOf: Array(9).fill({ pattern: 'a', type: 'null' }) } },
    body,
    4 * MIB,
  );
  expect(found).toMatchObject([{ message: expect.stringContaining('too much memory; simplify') }]);
});
