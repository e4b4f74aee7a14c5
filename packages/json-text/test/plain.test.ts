import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectJson, isPlainJson } from '../src/index.ts';

const isPlain = (text: string) => isPlainJson(Buffer.from(text));

const names = (count: number) => Array.from({ length: count }, (_, n) => `"${n}":0`).join();
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a plain text', () => {
  it.each([
    '{"spend":{"amount_minor_units":8750,"currency":"EUR"},"legal":{"flags":["a","a"]}}',
    ' { "a" : [ { "b" : "}" } , { "b" : ":" } ] , "c" : "é" } ',
    '[{"a":1},{"a":1}]',
    '{"a":{"b":1},"b":1}',
    '{"a":{"a":"a"},"b":{"a":true,"b":null}}',
    '{"a":"__proto__","b":["prototype"],"constructor":1}',
    '[0,-1,0.5,-12345678901234,123456789012345]',
    `{${names(64)}}`,
    nested(15),
    '{}',
  ])('%s', (text) => {
    JSON.parse(text);
    expect(isPlain(text)).toBe(true);
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a" :1,"b":{"a":2}, "a"\n:1}',
    '{"a":1,"\\u0061":1}',
    '{"__proto__":1}',
    '{"constructor":{"prototype":1}}',
    '["\\n"]',
    '[9007199254740993]',
    '[1234567890123456]',
    '[-123456789012345]',
    '[1e400]',
    '[1E400]',
    '[0.1234567890123456]',
    `{${names(65)}}`,
    nested(16),
  ])('none, or in doubt: %s', (text) => {
    JSON.parse(text);
    expect(isPlain(text)).toBe(false);
  });

  it('has so many members in all objects together', () => {
    const text = Buffer.from('[{"a":{"b":1}},{"a":2}]');
    expect(isPlainJson(text, 3)).toBe(true);
    expect(isPlainJson(text, 2)).toBe(false);
  });

  it('has nothing that a careful look would find', () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'abb', '__proto__', 'prototype', 'é');
    const number = fc.constantFrom('1', '-0.5', '1e5', '1E400', '12345678901234567', '0.1');
    const blank = fc.constantFrom('', '', ' ', '\n\t');
    const { value } = fc.letrec<Record<'value' | 'list' | 'object', string>>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, name.map(quoted), number, tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
      object: fc
        .array(fc.tuple(blank, name, blank, tie('value')), { maxLength: 4 })
        .map((all) => `{${all.map(([b, n, c, v]) => `${b}${quoted(n)}${c}:${c}${v}`).join()}}`),
    }));
    let plain = 0;
    const law = fc.property(value, (text) => {
      if (!isPlain(text)) return;
      plain += 1;
      const { repeatedMember, prototypeKey, inexactNumbers } = inspectJson(Buffer.from(text));
      expect({ repeatedMember, prototypeKey, inexactNumbers }).toEqual({
        repeatedMember: undefined,
        prototypeKey: false,
        inexactNumbers: [],
      });
    });
    fc.assert(law, { numRuns: 5_000 });
    expect(plain).toBeGreaterThan(500);
  });
});

const quoted = (text: string) => `"${text}"`;
