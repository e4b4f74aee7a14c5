import { expect, it } from 'vitest';
import { linearPattern } from '../src/schema/linear-pattern.ts';
import { compilePattern, nativePattern } from '../src/schema/pattern.ts';

const SPACES = '\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const BESIDE_SPACES =
  '\b\u000e\u001f!\u009f\u00a1\u167f\u1681\u1fff\u200b\u2027\u202a\u202e\u2030\u205e\u2060\u2fff\u3001\ufefe\uff00';
const TEXTS = [
  ...['', 'a', 'b', 'ab', 'ba', 'aab', 'abc', 'A', '0', '7', 'a1', 'a_b', 'a b', '-', '--', 'é'],
  ...['a\nb', 'a\rb', 'x-y', '[', ']', '\\', '.', '/', '$', '^', '|', '😀', '😀a', 'α', 'Ω', 'ǅ'],
  ...['2026-11-22', 'user@host.test', '{}', '\0', '\u{10ffff}', 'aaaa', 'ß', '٣', 'K'],
  ...SPACES,
  ...BESIDE_SPACES,
];

/** Patterns of every construct that is matched in linear time. */
const LINEAR = [
  ...['', 'a', 'a|b', '^a', 'a$', '^$', '^a|b$', '^(?:a|b)$', '^a*$', '^a+$', '^a?$', '^a{2}$'],
  ...['^a{2,}$', '^a{1,2}$', 'a+?b', '^(a)(b)$', '^(?<name>a)b$', '\\ba', 'a\\b', '\\Ba', 'a\\B'],
  ...['.', '^.$', '^.{2}$', '[^]', '[]', '^[^]$', '[ab]', '[^ab]', '^[a-c]+$', '^[^a-c]+$'],
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '^\\s$', '^\\S$', '[\\s]', '[^\\s]', '[\\S]'],
  ...['[^\\S]', '[\\da]', '[^\\d]', '[\\w-]', '[\\W]', '[\\D]', '\\p{L}', '\\P{L}', '^[\\p{Lu}]$'],
  ...['\\p{Script=Greek}', '\\P{Script=Greek}', '\\p{Lt}', '[^\\p{L}]', '\\u{1f600}', '^\\x41$'],
  ...['\\.', '\\/', '\\\\', '\\[', '^\\$', '\\^', '\\|', '[\\]]', '\\n', '\\r', '\\0', '\\cJ'],
  // With the `u` flag these are no patterns.
  ...['\\-', '[\\w-a]', 'a\\_b', '\\@', '{}', ']', '^\\p{L}}', 'a{,2}', '\\8'],
  '^\\d{4}-\\d{2}-\\d{2}$',
];

it('a pattern means what it means in ECMAScript', () => {
  for (const source of LINEAR) {
    const [pattern, platform] = [linearPattern(source), nativePattern(source)];
    const matched = (by: { test(text: string): boolean }) => TEXTS.filter((text) => by.test(text));
    expect(matched(pattern), source).toEqual(matched(platform));
    expect(String(pattern)).toBe(source);
  }
});

it('a pattern that backtracks takes no time', () => {
  const wall = `${'a'.repeat(5_000)}!`;
  for (const source of ['^(a+)+$', '^(a|a)*$', '(.*)*b$', '^(a?){500}$'])
    expect(compilePattern(source).test(wall), source).toBe(false);
});

it.each([
  ['(?=a)b', 'lookahead'],
  ['(?<!a)b', 'lookbehind'],
  ['(a)\\1', 'Backreference'],
  ['(?i:a)', 'modifiers'],
  ['\\p{Script_Extensions=Greek}', 'Script_Extensions'],
  ['\\p{scx=Greek}', 'scx'],
])('%s is left to the platform', (source, what) => {
  expect(() => linearPattern(source)).toThrow(`patterns with ${what} are not supported`);
  expect(compilePattern(source)).toEqual(new RegExp(source, 'u'));
});

it('counts up to 1,000 are matched in linear time, and greater ones by the platform', () => {
  expect(linearPattern('^a{1000}$').test('a'.repeat(1_000))).toBe(true);
  expect(() => linearPattern('^a{1001}$')).toThrow(/counts above 1000|invalid repeat/);
  expect(compilePattern('^a{1001}$')).toEqual(/^a{1001}$/u);
});

it('what is no pattern is refused', () => {
  for (const source of ['(', '[', 'a**', '(?<a', '\\p{Nothing}(', '+'])
    expect(() => compilePattern(source), source).toThrow(SyntaxError);
});
