import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = shared(startExecutor);

/** Texts on which pattern engines like to differ. */
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'a\n',
  '\na',
  'a\nb',
  'a b',
  'a-b',
  'a_b',
  'aaa',
  '0',
  '42',
  '٣',
  'é',
  'ſ',
  '\u00a0',
  '\u2028',
  '😀',
  'a😀b',
  '2026-02-28',
  'a@b.test',
  'a.b',
  'a\\b',
  '/',
  '{}',
  '[x]',
  '$^',
  '\u0000',
  '\ufeff',
];

const PATTERNS = [
  '',
  'a',
  '^a$',
  '^$',
  '^a|b$',
  '^(?:a|ab)$',
  '(a)(b)',
  '(?<name>a)b',
  'a?b',
  'a*?b',
  'a{2}',
  'a{2,}',
  '^a{0,2}$',
  '^(a{1,2}){2}$',
  '.',
  '^.$',
  '^..$',
  '^.*$',
  '\\d',
  '^\\D+$',
  '\\w',
  '^\\W$',
  '\\s',
  '^\\S+$',
  '[^\\s]',
  '[\\d\\-]',
  '[a-c_]',
  '[^a-c]',
  '[^]',
  '[]',
  '[\\w.]+@[\\w.]+',
  '\\bb',
  '\\Bb',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '\\.',
  '\\\\',
  '\\/',
  '\\$\\^',
  '^\\{\\}$',
  '\\[x\\]',
  '\\n',
  '\\u0061',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\x41',
  '\\0',
  '\\cJ',
  '^\\p{L}$',
  '^\\P{L}$',
  '\\p{Lu}',
  '\\p{Script=Greek}',
  '^\\p{Emoji_Presentation}$',
  '^[\\p{L}\\d]+$',
  '\\-',
  '\\@',
];

/**
 * As JSON Schema says: with the `u` flag, but for the many patterns that escape what
 * needs no escape.
 */
function ecmascript(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

describe('a pattern means what it means in ECMAScript', () => {
  it.each(PATTERNS)('%j', async (pattern) => {
    const properties = Object.fromEntries(TEXTS.map((_, index) => [`t${index}`, { pattern }]));
    const fails = TEXTS.flatMap((text, index) =>
      ecmascript(pattern).test(text) ? [] : [`/t${index}`],
    );
    const body = Object.fromEntries(TEXTS.map((text, index) => [`t${index}`, text]));
    const failing = new Set(await failingPaths({ properties }, body, fails.length));
    expect([...failing].map(textAt)).toEqual(fails.map(textAt).slice(0, failing.size));
    expect(failing.size).toBe(Math.min(fails.length, 20));
  });

  it('patternProperties too', async () => {
    const schema = {
      patternProperties: { '^x-': { type: 'integer' } },
      additionalProperties: false,
    };
    expect(await failingPaths(schema, { 'x-a': 1 }, 0)).toEqual([]);
    expect(await failingPaths(schema, { 'x-a': 'b' }, 1)).toEqual(['/x-a']);
    expect(await failingPaths(schema, { 'y-a': 1 }, 1)).toEqual(['']);
  });
});

const textAt = (path: string) => TEXTS[Number(path.slice(2))];

async function failingPaths(
  response_schema: object,
  body: object,
  expected: number,
): Promise<string[]> {
  await using upstream = await startUpstream({ body });
  const action = { method: 'POST', url: upstream.origin, response_schema };
  if (expected === 0) {
    await executor().success(action);
    return [];
  }
  const { error, violations = [] } = await executor().failure(action);
  expect(error).toBe('SchemaValidationFailed');
  return violations.map(({ path }) => path);
}
