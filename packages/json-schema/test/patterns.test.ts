import { expect, it } from 'vitest';
import { compilePattern, nativePattern } from '../src/pattern.ts';

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
  // Without the `u` flag, so not for RE2.
  ...[
    '\\-',
    '[\\w-a]',
    'a\\_b',
    '\\@',
    '{}',
    ']',
    '^\\p{L}}',
    'a{,2}',
    '\\8',
    '\\A',
    '\\z',
    '\\Q.\\E',
    '\\pL',
    '\\x{61}',
    '\\a',
    '\\c',
    '[[:alpha:]]',
  ],
  '^\\d{4}-\\d{2}-\\d{2}$',
];

it('a pattern means what it means in ECMAScript', () => {
  for (const source of LINEAR) {
    const [pattern, platform] = [compilePattern(source), nativePattern(source)];
    const matched = (by: { test(text: string): boolean }) => TEXTS.filter((text) => by.test(text));
    expect(matched(pattern), source).toEqual(matched(platform));
    expect(String(pattern)).toContain(source);
  }
});

it('a pattern that backtracks takes no time', () => {
  const wall = `${'a'.repeat(5_000)}!`;
  for (const source of ['^(a+)+$', '^(a|a)*$', '(.*)*b$', '^(a?){500}$'])
    expect(compilePattern(source).test(wall), source).toBe(false);
});

it.each([
  ['(?=a)b'],
  ['(?<!a)b'],
  ['(a)\\1'],
  ['(?i:a)'],
  ['(?s:.)'],
  ['[^\\S]'],
  ['[\\b]'],
  ['\\ud83d\\ude00'],
  ['[[:alpha:]'],
  ['\\p{Script_Extensions=Greek}'],
  ['\\p{scx=Greek}'],
])('%s is left to the platform', (source) => {
  expect(compilePattern(source)).toEqual(new RegExp(source, 'u'));
});

it('counts up to 1,000 are matched in linear time, and greater ones by the platform', () => {
  expect(compilePattern('^a{1000}$').test('a'.repeat(1_000))).toBe(true);
  expect(compilePattern('^a{1000}$')).not.toBeInstanceOf(RegExp);
  expect(compilePattern('^a{1001}$')).toEqual(/^a{1001}$/u);
});

it('what is no pattern is refused', () => {
  for (const source of ['(', '[', 'a**', '(?<a', '\\p{Nothing}(', '+'])
    expect(() => compilePattern(source), source).toThrow(SyntaxError);
});
