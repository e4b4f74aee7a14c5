import { expect, it } from 'vitest';
import { mustCheck, refusalOf } from './checks.ts';

/** Patterns, each with a text that matches and one that does not. */
const PATTERNS: [pattern: string, matches: string, differs: string][] = [
  ['^[-a-z0-9_]+$', 'a-b', 'A'],
  ['^\\p{L}+$', 'é', '1'],
  ['^.$', '😀', 'ab'],
  ['^(?<n>a)\\k<n>$', 'aa', 'ak<n>'],
  ['^(?=a)\\w+$', 'ab', 'b'],
  ['^(?i:a)$', 'A', 'b'],
  ['^\\\\A$', '\\A', 'A'],
  // Escapes that need no escape, which only the `u` flag forbids
  ['^a\\-b\\_c\\@\\/$', 'a-b_c@/', 'a'],
  ['^\\d{4}\\-\\d\\d$', '2026-11', '2026'],
  ['^\\\\A\\-$', '\\A-', 'A-'],
  ['^\\"\\ \\#$', '" #', '#'],
];

it.each(PATTERNS)('%s', (pattern, matches, differs) => {
  const check = mustCheck({ pattern });
  expect(check(JSON.stringify(matches))).toEqual([]);
  expect(check(JSON.stringify(differs))).toHaveLength(1);
});

it.each([
  ['\\A[a-z]+', 'write `^` instead of `\\A`'],
  ['^[a-z]+\\Z', 'write `$` instead of `\\Z` or `\\z`'],
  ['^[a-z]+\\z', 'write `$` instead of `\\Z` or `\\z`'],
  ['(?P<year>\\d+)', 'write `(?<name>…)`'],
  ['(?i)abc', 'such as `[aA]`'],
  ['^(?i)abc', 'such as `[aA]`'],
  ['^[[:alpha:]]+$', 'write `a-zA-Z` or `\\p{L}`'],
  ['^\\h+$', 'leave out all escapes that are not needed'],
  ['^\\p{L}\\-$', 'leave out all escapes that are not needed'],
  ['(', 'Unterminated group'],
  ['a**', 'Nothing to repeat'],
])('refuses %s', (pattern, says) => {
  expect(refusalOf({ pattern })).toEqual({
    pointer: '/pattern',
    message: expect.stringContaining(says),
  });
  expect(refusalOf({ patternProperties: { [pattern]: {} } })?.message).toContain(says);
});
