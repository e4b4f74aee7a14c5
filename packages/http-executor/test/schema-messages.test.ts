import { createExaminer } from '@gatehouse/http-executor';
import { afterAll, expect, it } from 'vitest';
import { violationsOf } from '../../../bench/json-schema/suite.ts';

const examiner = createExaminer(1024 * 1024);
afterAll(examiner.close);

/** A closed object with these members. */
const closed = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...more,
});
const SIZES = Array.from({ length: 100 }, (_, n) => `size-${n}`);
const long = 'x'.repeat(400);

const MESSAGES: [name: string, schema: object, body: unknown, messages: string[]][] = [
  [
    'unknown properties, each by its name',
    { items: closed({ id: {}, name: {} }) },
    [{ id: 1, spand: 2, nmae: 3 }],
    [
      '/0 has an unknown property `spand`; known: id, name',
      '/0 has an unknown property `nmae`; known: id, name',
    ],
  ],
  [
    'where names may match a pattern',
    closed({ id: {} }, { patternProperties: { '^x-': {} } }),
    { y: 1 },
    ['the body has an unknown property `y`; known: id, /^x-/'],
  ],
  [
    'where none is known',
    { additionalProperties: false },
    { a: 1 },
    ['the body has an unknown property `a`; known: none'],
  ],
  [
    'a long name',
    closed({}),
    { [long]: 1 },
    [`the body has an unknown property \`${'x'.repeat(265)}…`],
  ],
  [
    'a value of no list',
    { properties: { size: { enum: ['s', 1, null] } } },
    { size: 'xl' },
    ['/size must be one of "s", 1, null'],
  ],
  [
    'a long list',
    { enum: SIZES },
    'xl',
    [expect.stringMatching(/^the body must be one of "size-0", .*…$/)],
  ],
  ['a constant', { const: { a: [1] } }, 2, ['the body must be {"a":[1]}']],
];

it.each(MESSAGES)('%s', async (_name, schema, body, messages) => {
  const compiled = await examiner.compile(schema);
  const found = (await violationsOf(examiner, compiled, JSON.stringify(body))).map(
    ({ message }) => message,
  );
  expect(found).toEqual(messages);
  for (const message of found) expect(message.length).toBeLessThanOrEqual(300);
});

it('an unevaluated property is named, without the ones that branches know', async () => {
  const schema = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
  const found = await violationsOf(examiner, await examiner.compile(schema), '{"a":1,"b":2,"c":3}');
  expect(found.map(({ message }) => message)).toEqual([
    'the body has an unknown property `b`',
    'the body has an unknown property `c`',
  ]);
});
