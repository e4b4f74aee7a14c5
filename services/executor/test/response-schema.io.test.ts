import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';

const executor = shared(() => startExecutor({ clock: fakeClock() }));

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Schemas and bodies; `violations` are the paths that fail, none when the body is valid.
 */
const CASES: [name: string, schema: object, body: unknown, violations: string[]][] = [
  ['an empty schema', {}, { a: 1 }, []],
  ['a type', { type: 'object' }, {}, []],
  ['another type', { type: 'object' }, [], ['']],
  ['required', { required: ['a', 'b'] }, {}, ['', '']],
  [
    'properties',
    { properties: { a: { type: 'string' }, b: { minimum: 3 } } },
    { a: 1, b: 2 },
    ['/a', '/b'],
  ],
  [
    'a deep path',
    { properties: { a: { items: { type: 'integer' } } } },
    { a: [1, 'x', 2.5] },
    ['/a/1', '/a/2'],
  ],
  ['a path to escape', { properties: { 'a/b~c': { const: 1 } } }, { 'a/b~c': 2 }, ['/a~1b~0c']],
  [
    'additionalProperties',
    { properties: { a: {} }, additionalProperties: false },
    { a: 1, b: 2 },
    [''],
  ],
  ['enum', { enum: ['a', null] }, 'b', ['']],
  ['no conversion', { type: 'integer' }, '1', ['']],
  [
    'prefixItems (2020-12)',
    { prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
    ['a', 'b'],
    ['/1'],
  ],
  ['dependentRequired (2020-12)', { dependentRequired: { a: ['b'] } }, { a: 1 }, ['']],
  [
    'unevaluatedProperties (2020-12)',
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { b: 1 },
    [''],
  ],
  ['minContains (2020-12)', { contains: { const: 1 }, minContains: 2 }, [1], ['']],
  ['a local $ref', { $ref: '#/$defs/id', $defs: { id: { type: 'integer' } } }, 'x', ['']],
  [
    'a recursive $ref',
    { properties: { next: { $ref: '#' }, n: { type: 'integer' } } },
    { next: { n: 'x' } },
    ['/next/n'],
  ],
  ['an $anchor', { $ref: '#id', $defs: { id: { $anchor: 'id', type: 'integer' } } }, 1, []],
  ['the draft by name', { $schema: DRAFT, type: 'integer' }, 1, []],
  ['the draft by name with #', { $schema: `${DRAFT}#`, type: 'integer' }, 1, []],
  ['an unknown keyword', { 'x-note': 1, type: 'integer' }, 1, []],
  ['an unknown format', { format: 'x-note' }, 'anything', []],
  ['a required inherited member', { required: ['toString'] }, {}, ['']],
  ['money', { multipleOf: 0.01 }, 19.99, []],
];

const FORMATS: [format: string, good: string, bad: string][] = [
  ['date-time', '2026-02-28T10:00:00Z', '2026-02-30T10:00:00Z'],
  ['date', '2026-02-28', '28.02.2026'],
  ['time', '10:00:00Z', '25:00:00Z'],
  ['email', 'a@b.test', 'a at b'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567'],
  ['uri', 'https://a.test/b', 'not a uri'],
  ['hostname', 'a.test', '-a'],
  ['ipv4', '192.0.2.1', '192.0.2.256'],
  ['ipv6', '2001:db8::1', '2001::db8::1'],
];

describe('response_schema', () => {
  it.each(CASES)('%s', async (_name, response_schema, body, violations) => {
    await using upstream = await startUpstream({ body: JSON.stringify(body) });
    const outcome = await executor().outcome({
      method: 'GET',
      url: upstream.origin,
      response_schema,
    });
    if (violations.length === 0) expect(outcome).toMatchObject({ outcome: 'success', body });
    else {
      const failed = { error: 'SchemaValidationFailed', status: 200, attempts: 1, history: [] };
      expect(outcome).toMatchObject({
        ...failed,
        violations: violations.map((path) => ({ path })),
      });
    }
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(FORMATS)('format %s is checked', async (format, good, bad) => {
    await using upstream = await startUpstream([
      { body: JSON.stringify(good) },
      { body: JSON.stringify(bad) },
    ]);
    const action = { method: 'GET', url: upstream.origin, response_schema: { format } };
    await executor().success(action);
    expect(await executor().failure(action)).toMatchObject({ error: 'SchemaValidationFailed' });
  });

  it('all violations are joined with `; `', async () => {
    await using upstream = await startUpstream({ body: { a: 1, b: 2 } });
    const response_schema = {
      properties: { a: { type: 'string' }, b: { type: 'array' } },
      required: ['c'],
    };
    const failure = await executor().failure({
      method: 'GET',
      url: upstream.origin,
      response_schema,
    });
    expect(failure.violations).toHaveLength(3);
    expect(failure.message).toBe(failure.violations?.map(({ message }) => message).join('; '));
    expect(failure.message).toEqual(textWith('string', 'array', "'c'"));
  });

  it('is not applied to a failure status', async () => {
    await using upstream = await startUpstream({ status: 404, body: '[]' });
    const action = { method: 'GET', url: upstream.origin, response_schema: { type: 'object' } };
    expect(await executor().failure(action)).toMatchObject({
      error: 'HttpFailure',
      status: 404,
      body: [],
    });
  });

  it.each([
    { additionalProperties: { type: 'string' } },
    { additionalProperties: false },
    { unevaluatedProperties: false },
  ])('a credential echoed where %j fails is scrubbed from the violations too', async (schema) => {
    await using upstream = await startUpstream({ body: { 'tok3n-12345': 1 } });
    const response_schema = schema;
    const headers = { authorization: 'Bearer tok3n-12345' };
    const failure = await executor().failure({
      method: 'GET',
      url: upstream.origin,
      headers,
      response_schema,
    });
    expect(failure.error).toBe('SchemaValidationFailed');
    expect(JSON.stringify(failure)).not.toContain('tok3n-12345');
  });

  it('the same schema works again and again', async () => {
    await using upstream = await startUpstream([{ body: 'true' }, { body: '1' }, { body: 'true' }]);
    const action = { method: 'GET', url: upstream.origin, response_schema: { type: 'boolean' } };
    await executor().success(action);
    await executor().failure(action);
    await executor().success(action);
  });

  it('an $id may come twice, with the same schema or another', async () => {
    await using upstream = await startUpstream({ body: 'true' });
    const schema = { $id: 'https://schemas.test/answer', type: 'boolean' };
    const action = { method: 'GET', url: upstream.origin };
    await executor().success({ ...action, response_schema: schema });
    await executor().success({ ...action, response_schema: schema });
    await executor().failure({ ...action, response_schema: { ...schema, type: 'string' } });
    await executor().success({ ...action, response_schema: schema });
  });

  it.each([null, undefined])('%s is no schema', async (response_schema) => {
    await using upstream = await startUpstream({ body: '[]' });
    await executor().success({ method: 'GET', url: upstream.origin, response_schema });
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });

/** ORIGIN stands for a server that would answer with a schema. */
const REFUSED: [name: string, schema: object][] = [
  ['a type that does not exist', { type: 'text' }],
  ['a keyword of the wrong kind', { required: 'a' }],
  ['a negative length', { minLength: -1 }],
  ['a pattern that does not parse', { pattern: '(' }],
  ['a $ref to nowhere', { $ref: '#/$defs/missing' }],
  ['a remote $ref', { $ref: 'ORIGIN/schema.json' }],
  ['a remote $ref deep inside', { properties: { a: { items: { $ref: 'ORIGIN/schema.json' } } } }],
  ['a remote $dynamicRef', { $dynamicRef: 'ORIGIN/schema.json' }],
  ['a $ref relative to a remote $id', { $id: 'ORIGIN/root.json', $ref: 'schema.json' }],
  ['a file', { $ref: 'file:///etc/passwd' }],
  ['a remote $schema', { $schema: 'ORIGIN/meta.json' }],
  ['a $schema that is no string', { $schema: 7 }],
  ['2000 levels', deep(2_000)],
];

describe('a schema that is not usable', () => {
  it.each(REFUSED)(
    '%s: refused before anything is sent, and nothing is fetched',
    async (_name, schema) => {
      await using upstream = await startUpstream({ body: { type: 'object' } });
      const response_schema = JSON.parse(
        JSON.stringify(schema).replaceAll('ORIGIN', upstream.origin),
      );
      const problem = await executor().problem({
        method: 'GET',
        url: upstream.origin,
        response_schema,
      });
      expect(problem).toMatchObject({
        status: 400,
        code: 'InvalidResponseSchema',
        detail: textWith('response_schema'),
      });
      expect(upstream.connections).toBe(0);
    },
  );

  it('a $ref is not fetched at validation either', async () => {
    await using upstream = await startUpstream({ body: { a: 1 } });
    const response_schema = {
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'integer' } },
    };
    await executor().success({ method: 'GET', url: upstream.origin, response_schema });
    expect(upstream.requests).toHaveLength(1);
  });
});
