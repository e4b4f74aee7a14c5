import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { textWith } from './support/outcomes.ts';
import { startSite } from './support/site.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

/** Returns the outcome of a GET that is answered with this body. */
const check = (body: unknown, response_schema: unknown, status = 200) => {
  const url = site().serve({ status, body: JSON.stringify(body) });
  return executor().outcome({ method: 'GET', url, response_schema });
};
const long = 'k'.repeat(400);

describe('a response schema', () => {
  it('is checked, formats included', async () => {
    const schema = { properties: { id: { type: 'integer' }, on: { format: 'date' } } };
    const good = { id: 1, on: '2026-02-28' };
    expect(await check(good, schema)).toMatchObject({ outcome: 'success', body: good });
    expect(await check({ id: '1', on: '28.02.2026' }, schema)).toMatchObject({
      error: 'SchemaValidationFailed',
      status: 200,
      attempts: 1,
      history: [],
      violations: [{ path: '/id' }, { path: '/on' }],
    });
  });

  it('shows at most 20 violations of 300 characters each', async () => {
    const members = Array.from({ length: 30 }, (_, n) => [`${long}${n}`, n]);
    const schema = { additionalProperties: { type: 'string' } };
    const { violations = [] } = (await check(Object.fromEntries(members), schema)) as {
      violations?: { path: string; message: string }[];
    };
    expect(violations).toHaveLength(20);
    for (const { path, message } of violations)
      expect([path.length, message.length]).toEqual([300, 300]);
  });

  it('is not applied to a failure status, and may be null', async () => {
    const failed = await check([], { type: 'object' }, 404);
    expect(failed).toMatchObject({ error: 'HttpFailure', status: 404, body: [] });
    for (const none of [null, undefined])
      expect(await check([], none)).toMatchObject({ outcome: 'success' });
  });

  it('works repeatedly, also with a duplicate $id', async () => {
    const schema = { $id: 'https://schemas.test/answer', type: 'boolean' };
    const kinds: string[] = [];
    for (const [body, each] of [
      [true, schema],
      [1, schema],
      [true, schema],
      [true, { ...schema, type: 'string' }],
      [true, schema],
    ])
      kinds.push((await check(body, each)).outcome);
    expect(kinds).toEqual(['success', 'failure', 'success', 'failure', 'success']);
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });

/**
 * Schemas that are refused. ORIGIN is replaced by the URL of a server that would answer with a
 * schema.
 */
const REFUSED: [name: string, schema: object][] = [
  ['a type that does not exist', { type: 'text' }],
  ['a remote $ref', { $ref: 'ORIGIN/schema.json' }],
  ['a remote $ref deep inside', { properties: { a: { items: { $ref: 'ORIGIN/schema.json' } } } }],
  ['a remote $dynamicRef', { $dynamicRef: 'ORIGIN/schema.json' }],
  ['a $ref relative to a remote $id', { $id: 'ORIGIN/root.json', $ref: 'schema.json' }],
  ['a file', { $ref: 'file:///etc/passwd' }],
  ['a remote $schema', { $schema: 'ORIGIN/meta.json' }],
  ['2000 levels', deep(2_000)],
];

it.each(REFUSED)(
  'a schema is refused before anything is sent or fetched: %s',
  async (_name, schema) => {
    const url = site().serve({ body: { type: 'object' } });
    const text = JSON.stringify(schema).replaceAll('ORIGIN', site().origin);
    const action = { method: 'GET', url, response_schema: JSON.parse(text) };
    expect(await executor().refusal(action)).toMatchObject({
      code: 'InvalidResponseSchema',
      message: textWith('response_schema'),
    });
    expect(site().requests).not.toContain('/schema.json');
    expect(site().received(url)).toEqual([]);
  },
);
