import { Piscina } from 'piscina';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import compileOnThread from '../src/schema/compile-worker.ts';
import { compileSchema, createResponseSchemas } from '../src/schema/response-schemas.ts';
import { OverBudget, Starved, TimeBudget } from '../src/schema/time-budget.ts';

afterEach(() => void vi.restoreAllMocks());

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const PROTO = '{"properties":{"__proto__":{"type":"string"}}}';

describe('what the thread makes of a schema', () => {
  const engineOf = (schema: object | string) => {
    const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
    const result = compileOnThread(text);
    return typeof result === 'object' && 'schema' in result ? result.schema.engine : result;
  };
  const ofChars = (chars: number) => ({ title: 'x'.repeat(chars - '{"title":""}'.length) });

  it('tells its dialect, its text and its validator', () => {
    expect(compileOnThread('{"type":"string","nullable":true}')).toEqual({
      kind: 'compiled',
      schema: { dialect: 'openapi', text: '{"type":["string","null"]}', engine: 'ajv' },
    });
  });

  it.each<[name: string, engine: string, schema: object | string]>([
    ['64 KiB', 'ajv', ofChars(64 * 1024)],
    ['one character more', 'reference', ofChars(64 * 1024 + 1)],
    ['an identifier', 'ajv', { title: 'a', $id: 'https://a.test/' }],
    ['an identifier of another place', 'reference', { $defs: { a: { $id: 'https://a.test/' } } }],
    ['two of them', 'reference', { $id: 'https://a.test/', $defs: { a: { $id: '/b' } } }],
    ['an anchor', 'ajv', { $schema: DRAFT_07, definitions: { a: { $id: '#a' } } }],
    ['a name that a keyword has', 'ajv', { properties: { unevaluated: {}, $dynamicRefs: {} } }],
    ['a dynamic reference', 'reference', { $dynamicRef: '#a', $dynamicAnchor: 'a' }],
    ['unevaluated items', 'reference', { unevaluatedItems: false }],
    ['unevaluated properties', 'reference', { unevaluatedProperties: false }],
    ['`__proto__`', 'reference', PROTO],
    ['a meta-schema', 'reference', { items: { $ref: DRAFT_07 } }],
    ['another reference', 'ajv', { $ref: '#/$defs/a', $defs: { a: {} } }],
  ])('%s: %s', (_name, engine, schema) => {
    expect(engineOf(schema)).toBe(engine);
  });

  it('takes the other validator where Ajv takes too long', () => {
    const run = vi.spyOn(TimeBudget.prototype, 'run');
    run.mockImplementationOnce((work) => work());
    run.mockImplementationOnce(() => {
      throw new OverBudget();
    });
    expect(engineOf({ type: 'string' })).toBe('reference');
  });

  it('says what is wrong with it, and where, in 8 KiB', () => {
    expect(engineOf({ items: { type: 1 } })).toMatchObject({ pointer: '/items/type' });
    expect(engineOf({ $ref: '#/a' })).toMatchObject({ kind: 'invalid' });
    const name = 'x'.repeat(9_000);
    expect(engineOf({ properties: { [name]: { type: 1 } } })).toMatchObject({
      kind: 'invalid',
      pointer: `/properties/${name}`.slice(0, 8 * 1024),
    });
  });

  it.each([
    ['took too long', new OverBudget(), 'it takes longer than its time budget'],
    ['nests too deep', new RangeError('stack'), 'it is too complex'],
    ['breaks in some other way', new Error('odd'), 'odd'],
  ])('says that it %s', (_name, error, reason) => {
    vi.spyOn(TimeBudget.prototype, 'run').mockImplementation(() => {
      throw error;
    });
    expect(engineOf({})).toEqual({ kind: 'invalid', pointer: '', reason });
  });

  it('says that others kept the processor busy', () => {
    vi.spyOn(TimeBudget.prototype, 'run').mockImplementation(() => {
      throw new Starved();
    });
    expect(engineOf({})).toBe('busy');
  });
});

describe('a response schema', () => {
  const schemas = createResponseSchemas();
  afterAll(() => schemas.close());
  const used = async (schema: object, times: number) => {
    for (let time = 1; time < times; time++) await schemas.compile(schema);
    return schemas.compile(schema);
  };
  const refusal = (code: string, message: string) => expect.objectContaining({ code, message });
  const UNUSABLE = 'Correct `/response_schema`: it is not a usable JSON Schema: ';

  it('is compiled where there is one', async () => {
    expect(await compileSchema({ response_schema: null }, schemas)).toBeUndefined();
    expect(await compileSchema({}, schemas)).toBeUndefined();
    const compiled = await compileSchema({ response_schema: { type: 'null' } }, schemas);
    expect(compiled?.schema.text).toBe('{"type":"null"}');
  });

  it('is compiled once, however long it is', async () => {
    for (const title of ['a', 'b'.repeat(2_000), 'c'.repeat(2_000)]) {
      const compiled = await schemas.compile({ title });
      expect(compiled.schema.text).toContain(title);
      expect(await schemas.compile({ title })).toBe(compiled);
    }
  });

  it('has as many bytes as it may, in UTF-8', async () => {
    const [schema, bytes] = [{ title: 'é' }, 14];
    const [enough, small] = [createResponseSchemas(bytes), createResponseSchemas(bytes - 1)];
    expect(await enough.compile(schema)).toBeDefined();
    await expect(small.compile(schema)).rejects.toThrow(
      refusal('InvalidResponseSchema', `${UNUSABLE}it has 14 bytes, and may have 13 at most.`),
    );
    await Promise.all([enough.close(), small.close()]);
  });

  it('is judged on the calling thread from its third use, one new schema in 100 ms', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const body = Buffer.from('"a"');
    const admits = async (schema: object, times: number) =>
      (await used(schema, times)).admits(body);
    expect(await admits({ maxLength: 1 }, 2)).toBe(false);
    expect(await admits({ maxLength: 1 }, 1)).toBe(true);
    expect((await schemas.compile({ maxLength: 1 })).admits(Buffer.from('"ab"'))).toBe(false);
    now.mockReturnValue(1_099);
    expect(await admits({ maxLength: 2 }, 3)).toBe(false);
    now.mockReturnValue(1_100);
    expect(await admits({ maxLength: 2 }, 1)).toBe(true);
    expect(await admits({ maxLength: 3 }, 3)).toBe(false);
    now.mockReturnValue(1_200);
    const beyond = await used(JSON.parse(PROTO), 3);
    expect(beyond.admits(Buffer.from('{"__proto__":1}'))).toBe(false);
  });

  it('that is unusable is refused, with the place', async () => {
    await expect(schemas.compile({ items: { type: 1 } })).rejects.toThrow(
      refusal(
        'InvalidResponseSchema',
        expect.stringMatching(
          /^Correct `\/response_schema\/items\/type`: it must be one of array, /,
        ),
      ),
    );
  });

  it('waits behind 255 others, not behind 256, and may be sent again', async () => {
    const waiting = vi.spyOn(Piscina.prototype, 'queueSize', 'get').mockReturnValue(256);
    const tooMany = expect.objectContaining({
      code: 'TooManyRequests',
      message: expect.stringMatching(/^Nothing was sent; .*: too many new response schemas/),
    });
    await expect(schemas.compile({ title: 'waits' })).rejects.toThrow(tooMany);
    waiting.mockReturnValue(255);
    expect(await schemas.compile({ title: 'waits' })).toBeDefined();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    await expect(schemas.compile({ title: 'too long' })).rejects.toThrow(tooMany);
    expect(await schemas.compile({ title: 'too long' })).toBeDefined();
  });

  it('that ends its thread is refused', async () => {
    vi.spyOn(Piscina.prototype, 'run').mockRejectedValueOnce(new Error('out of memory'));
    await expect(schemas.compile({ title: 'ends it' })).rejects.toThrow(
      refusal('InvalidResponseSchema', `${UNUSABLE}it needs more time or memory than allowed.`),
    );
  });
});
