import { expect, it } from 'vitest';
import { compile, mustCheck } from './support/checks.ts';

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

/** Patterns that cover every construct that RE2 supports, and some that V8 runs. */
const LINEAR = [
  ...['', 'a', 'a|b', '^a', 'a$', '^$', '^a|b$', '^(?:a|b)$', '^a*$', '^a+$', '^a?$', '^a{2}$'],
  ...['^a{2,}$', '^a{1,2}$', 'a+?b', '^(a)(b)$', '^(?<name>a)b$', '\\ba', 'a\\b', '\\Ba', 'a\\B'],
  ...['.', '^.$', '^.{2}$', '[^]', '[]', '^[^]$', '[ab]', '[^ab]', '^[a-c]+$', '^[^a-c]+$'],
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '^\\s$', '^\\S$', '[\\s]', '[^\\s]', '[\\S]'],
  ...['[^\\S]', '[\\da]', '[^\\d]', '[\\w-]', '[\\W]', '[\\D]', '\\p{L}', '\\P{L}', '^[\\p{Lu}]$'],
  ...['\\p{Script=Greek}', '\\P{Script=Greek}', '\\p{Lt}', '[^\\p{L}]', '\\u{1f600}', '^\\x41$'],
  ...['\\.', '\\/', '\\\\', '\\[', '^\\$', '\\^', '\\|', '[\\]]', '\\n', '\\r', '\\0', '\\cJ'],
  // These are invalid with the `u` flag, so V8 runs them instead of RE2.
  ...(
    '\\- [\\w-a] a\\_b \\@ {} ] ^\\p{L}} a{,2} \\8 \\A \\z \\Q.\\E \\pL \\x{61} \\a \\c ' +
    '[[:alpha:]]'
  ).split(' '),
  '^\\d{4}-\\d{2}-\\d{2}$',
];

/** Patterns that RE2 does not support or reads differently, so that V8 runs them. */
const OTHERS = [
  ...['(?=a)b', '(?<!a)b', '(a)\\1', '(?i:a)', '(?s:.)', '[\\b]', '\\ud83d\\ude00', '[[:alpha:]'],
  ...['\\p{Script_Extensions=Greek}', '\\p{scx=Greek}', '^a{1,1001}$'],
];

/** Uses the `u` flag as JSON Schema requires, unless the pattern has needless escapes. */
function native(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

it('matches like ECMAScript', () => {
  for (const pattern of [...LINEAR, ...OTHERS]) {
    const check = mustCheck({ pattern });
    const matched = TEXTS.filter((text) => check(JSON.stringify(text)).length === 0);
    const expected = native(pattern);
    expect(matched, pattern).toEqual(TEXTS.filter((text) => expected.test(text)));
  }
});

it('matches a pattern that would backtrack in linear time', () => {
  const wall = JSON.stringify(`${'a'.repeat(5_000)}!`);
  for (const pattern of ['^(a+)+$', '^(a|a)*$', '(.*)*b$', '^(a?){500}$'])
    expect(mustCheck({ pattern })(wall), pattern).toMatchObject([{ pointer: '' }]);
});

it('stops a pattern that backtracks in V8', () => {
  const check = mustCheck({ pattern: '^(?=(a+)+$)' });
  // The error is `OverBudget`, or `Starved` if the machine is busy.
  expect(() => check(JSON.stringify(`${'a'.repeat(48)}!`))).toThrow();
});

it('refuses an invalid pattern', () => {
  for (const pattern of ['(', '[', 'a**', '(?<a', '\\p{Nothing}(', '+'])
    expect(compile({ pattern }), pattern).toMatchObject({ kind: 'invalid', pointer: '/pattern' });
});
