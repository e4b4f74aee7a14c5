import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { compileValidator } from '../src/validation.ts';

const Order = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: 9 }),
    name: Type.String({ maxLength: 3 }),
    size: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: ['s', 'm'] })),
    note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], default: 'none' })),
    code: Type.Optional(Type.String({ format: 'even', 'x-violation': 'must have an even length' })),
    lines: Type.Optional(
      Type.Array(Type.Object({ 'a/b~c': Type.Boolean() }, { additionalProperties: false })),
    ),
  },
  { additionalProperties: false },
);
const check = compileValidator(Order, { even: (text) => text.length % 2 === 0 });
const GOOD = { count: 5, name: 'abc' };

function found(value: unknown) {
  const checked = check(value);
  return checked.ok
    ? []
    : checked.violations.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe('compileValidator accepts', () => {
  it.each([
    ['what is required', GOOD],
    ['all members', { ...GOOD, size: 's', note: 'x', code: 'ab', lines: [{ 'a/b~c': true }] }],
    ['an explicit null where one may be', { ...GOOD, note: null }],
    ['both ends of a range', { ...GOOD, count: 1 }],
    ['an integer written with a point', { ...GOOD, count: 5.0 }],
    [
      'as many characters as allowed, however many code units',
      { ...GOOD, name: '\u{1F6AA}'.repeat(3) },
    ],
  ])('%s, and hands it over as it is', (_name, value) => {
    const before = structuredClone(value);
    const checked = check(value);
    expect(checked.ok && checked.value).toBe(value);
    expect(value).toEqual(before);
  });
});

describe('compileValidator reports pointer and message of a violation', () => {
  it.each<[string, unknown, string]>([
    ['not an object', [], ' must be an object'],
    ['a missing member', { count: 5 }, '/name is required'],
    ['an unknown member', { ...GOOD, nmae: 1 }, '/nmae is an unknown property'],
    ['a string for an integer', { ...GOOD, count: '5' }, '/count must be an integer'],
    ['a fraction for an integer', { ...GOOD, count: 5.5 }, '/count must be an integer'],
    ['a boolean for an integer', { ...GOOD, count: true }, '/count must be an integer'],
    ['null for an integer', { ...GOOD, count: null }, '/count must be an integer'],
    ['too little', { ...GOOD, count: 0 }, '/count must be at least 1'],
    ['too much', { ...GOOD, count: 10 }, '/count must be at most 9'],
    ['too long', { ...GOOD, name: 'abcd' }, '/name must have at most 3 characters'],
    ['not in the list', { ...GOOD, size: 'xl' }, '/size must be one of s, m'],
    ['neither type', { ...GOOD, note: 5 }, '/note must be a string or null'],
    [
      'a format, in the words of the schema',
      { ...GOOD, code: 'abc' },
      '/code must have an even length',
    ],
    ['deep below, a missing member', { ...GOOD, lines: [{}] }, '/lines/0/a~1b~0c is required'],
    [
      'deep below, an unknown member',
      { ...GOOD, lines: [{ 'a/b~c': true, '~/': 1 }] },
      '/lines/0/~0~1 is an unknown property; known: a/b~c$',
    ],
    [
      'deep below, a wrong type',
      { ...GOOD, lines: [{ 'a/b~c': 'yes' }] },
      '/lines/0/a~1b~0c must be a boolean',
    ],
  ])('%s', (_name, value, violation) => {
    expect(found(value)).toEqual([expect.stringMatching(new RegExp(`^${violation}`))]);
  });

  it('and lists the known members', () => {
    expect(found({ ...GOOD, nmae: 1 })[0]).toContain('count, name, size, note, code, lines');
  });
});

describe('compileValidator', () => {
  it('lists all violations', () => {
    expect(found({ count: 'x', size: 'xl', extra: 1 }).length).toBe(4);
  });

  it.each([
    [19, 19],
    [20, 20],
    [21, 20],
    [1_000, 20],
  ])('of %i violations lists %i', (count, listed) => {
    const extra = Object.fromEntries(Array.from({ length: count }, (_, n) => [`extra${n}`, n]));
    expect(found({ ...GOOD, ...extra }).length).toBe(listed);
  });

  it('does not remember earlier values', () => {
    expect(found({}).length).toBe(2);
    expect(found(GOOD)).toEqual([]);
    expect(found({}).length).toBe(2);
  });

  it('refuses a schema with an unknown keyword or format', () => {
    expect(() => compileValidator(Type.String({ maxLenght: 3 }))('')).toThrow('maxLenght');
    expect(() => compileValidator(Type.String({ format: 'odd' }))('')).toThrow('odd');
  });
});
