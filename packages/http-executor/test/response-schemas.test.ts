import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createExaminer } from '../src/response/examiner.ts';
import { compileSchemaText } from '../src/schema/compile.ts';
import { compileSchema, createResponseSchemas } from '../src/schema/response-schemas.ts';
import {
  FULL_TRIES,
  OverBudget,
  SCHEMA_BUDGET_MS,
  Starved,
  TimeBudget,
} from '../src/schema/time-budget.ts';
import type { NoResult } from '../src/threads.ts';

afterEach(() => void vi.restoreAllMocks());

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const PROTO = '{"properties":{"__proto__":{"type":"string"}}}';

const BUDGET = { ms: SCHEMA_BUDGET_MS, tries: FULL_TRIES };
const compileText = (text: string) => compileSchemaText(text, new TimeBudget(), BUDGET);

describe('compiling a schema', () => {
  const engineOf = (schema: object | string) => {
    const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
    const result = compileText(text);
    return typeof result === 'object' && 'schema' in result ? result.schema.engine : result;
  };
  const ofChars = (chars: number) => ({ title: 'x'.repeat(chars - '{"title":""}'.length) });

  it('tells its dialect, its text and its validator', () => {
    expect(compileText('{"type":"string","nullable":true}')).toEqual({
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
    ['nests too deep', new RangeError('stack'), 'it is too complex'],
    ['breaks in some other way', new Error('odd'), 'odd'],
  ])('says that it %s', (_name, error, reason) => {
    vi.spyOn(TimeBudget.prototype, 'run').mockImplementation(() => {
      throw error;
    });
    expect(engineOf({})).toEqual({ kind: 'invalid', pointer: '', reason });
  });

  it.each([new OverBudget(), new Starved()])(
    'leaves it to the caller when it is stopped: %s',
    (error) => {
      vi.spyOn(TimeBudget.prototype, 'run').mockImplementation(() => {
        throw error;
      });
      expect(() => compileText('{}')).toThrow(error);
    },
  );
});

describe('a response schema', () => {
  const examiner = createExaminer(1024 * 1024);
  afterAll(() => examiner.close());
  const refusal = (code: string, message: string) => expect.objectContaining({ code, message });
  const UNUSABLE = 'Correct `/response_schema`: it is not a usable JSON Schema: ';

  it('is compiled where there is one', async () => {
    expect(await compileSchema({ response_schema: null }, examiner)).toBeUndefined();
    expect(await compileSchema({}, examiner)).toBeUndefined();
    const compiled = await compileSchema({ response_schema: { type: 'null' } }, examiner);
    expect(compiled?.schema.text).toBe('{"type":"null"}');
  });

  const answering = (result: NoResult) => ({ run: async () => result });

  it('has as many bytes as it may, in UTF-8', async () => {
    const [schema, bytes] = [{ title: 'é' }, 14];
    const [enough, small] = [createExaminer(1, bytes), createExaminer(1, bytes - 1)];
    expect(await enough.compile(schema)).toBeDefined();
    await expect(small.compile(schema)).rejects.toThrow(
      refusal('InvalidResponseSchema', `${UNUSABLE}it has 14 bytes, and may have 13 at most.`),
    );
    await Promise.all([enough.close(), small.close()]);
  });

  it('that is unusable is refused, with the place', async () => {
    await expect(examiner.compile({ items: { type: 1 } })).rejects.toThrow(
      refusal(
        'InvalidResponseSchema',
        expect.stringMatching(
          /^Correct `\/response_schema\/items\/type`: it must be one of array, /,
        ),
      ),
    );
  });

  it('may be sent again when the threads are busy', async () => {
    const busy = createResponseSchemas(answering('busy'));
    await expect(busy.compile({})).rejects.toThrow(
      expect.objectContaining({
        code: 'TooManyRequests',
        message: expect.stringMatching(/^Nothing was sent; .*: too many new response schemas/),
      }),
    );
  });

  it('that ends its thread is refused', async () => {
    const dying = createResponseSchemas(answering('beyond limits'));
    await expect(dying.compile({})).rejects.toThrow(
      refusal('InvalidResponseSchema', `${UNUSABLE}it needs more time or memory than allowed.`),
    );
  });
});
