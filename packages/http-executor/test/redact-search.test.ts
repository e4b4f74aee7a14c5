import { describe, expect, it } from 'vitest';
import { searchFor } from '../src/redact/redactor.ts';
import { scrubCutText, scrubText } from '../src/redact/scrub.ts';
import { findSecrets, prepareSearch, TooManyEchoes } from '../src/redact/search.ts';

const scrubbed = (secrets: string[], text: string) => scrubText(searchFor(secrets), text).text;

describe('escapes that may hide a spelling', () => {
  const ALWAYS = ['%41', 'x%fF', '\\u', '\\x', '&#', '&amp;', '&frac12;'];
  const NEVER = ['', 'plain', '50%', '%4g', '&a;', '&amp', '& b;', '/', '~', '~2', "'", '"'];
  const SOMETIMES = ['\\n', '\\/', '~1', '~0'];
  it.each<[spelling: string, also: string[]]>([
    ['abcdefgh', []],
    ['abc/def', ['\\/', '~1']],
    ['abc~def', ['~0']],
    ['abc"def', ['\\n', '\\/']],
    ["abc'def", ['\\n', '\\/']],
    ['abc\\def', ['\\n', '\\/']],
    ['abc\ndef', ['\\n', '\\/']],
    ['abc\0def', ['\\n', '\\/']],
    ['abc\x1fdef', ['\\n', '\\/']],
    ['abc def', []],
  ])('in the search for %j', (text, also) => {
    const { escapes } = prepareSearch([{ text, anywhere: true }]);
    const found = [...ALWAYS, ...SOMETIMES, ...NEVER].filter((each) => escapes.test(each));
    expect(found).toEqual([...ALWAYS, ...SOMETIMES.filter((each) => also.includes(each))]);
  });

  it('with one that has to stand by itself among them', () => {
    const long = { text: 'abcdefgh', anywhere: true };
    const { escapes } = prepareSearch([long, { text: 'abcdef', anywhere: false }]);
    expect(SOMETIMES.map((each) => escapes.test(each))).toEqual([true, true, false, false]);
  });
});

describe('several secrets', () => {
  it.each([
    ['aaaaaa bbbbbb', 'REDACTED REDACTED'],
    ['%41 aaaaaa %41 bbbbbb %41', '%41 REDACTED %41 REDACTED %41'],
    ['a%61aaaa b%62bbbb%20cccccc', 'REDACTED REDACTED%20REDACTED'],
    ['%2541 a%2561aaaa aaaaaa b%62bbbb', '%2541 REDACTED REDACTED REDACTED'],
  ])('are found in any order: %s', (text, shown) => {
    for (const secrets of [
      ['aaaaaa', 'bbbbbb', 'cccccc'],
      ['cccccc', 'bbbbbb', 'aaaaaa'],
    ]) {
      expect(scrubbed(secrets, text)).toBe(shown);
      const starts = findSecrets(searchFor(secrets), text).map(([start]) => start);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }
  });

  it('that overlap count once', () => {
    const secrets = ['abcdef-ghijkl', 'ghijkl-mnopqr', 'ghijkl'];
    expect(scrubText(searchFor(secrets), 'abcdef-ghijkl-mnopqr, ghijkl')).toEqual({
      text: 'REDACTED, REDACTED',
      redactions: 2,
    });
  });
});

it('up to three levels of escapes are undone', () => {
  const under = (levels: number) => `got p%${'25'.repeat(levels - 1)}40ssword-1`;
  for (const levels of [1, 2, 3])
    expect(scrubbed(['p@ssword-1'], under(levels))).toBe('got REDACTED');
  expect(scrubbed(['p@ssword-1'], under(4))).toBe(under(4));
});

describe('budgets', () => {
  it('more than 100,000 echoes are too many', () => {
    const search = searchFor(['0123456789abcdef']);
    expect(findSecrets(search, '0123456789abcdef '.repeat(100_000))).toHaveLength(100_000);
    const tooMany = '0123456789abcdef '.repeat(100_001);
    expect(() => findSecrets(search, tooMany)).toThrow(TooManyEchoes);
    expect(new TooManyEchoes().name).toBe('TooManyEchoes');
  });

  it('once comparisons are used up, 24 characters count as the secret', () => {
    // 16 times 5,696 characters: 64 for each of the text, and 65,536.
    const text = `${'a'.repeat(24)} `.repeat(16);
    const secretOf = (length: number) => 'a'.repeat(24).padEnd(length, 'b');
    expect(scrubbed([secretOf(5_696)], text)).toBe(text);
    expect(scrubbed([secretOf(5_697)], text)).toBe(`${text.slice(0, 15 * 25)}REDACTED `);
  });

  it('once 4,096 neighbours were looked up, any is none', () => {
    const text = 'xabcdef '.repeat(4_096);
    expect(scrubbed(['abcdef'], text)).toBe(text);
    expect(scrubbed(['abcdef'], `${text}xabcdef`)).toBe(`${text}xREDACTED`);
    const cheap = `${'abcdefs '.repeat(4_097)}xabcdef`;
    expect(scrubbed(['abcdef'], cheap)).toBe(cheap);
  });
});

describe('the end of a cut text', () => {
  const cut = (secret: string, text: string) => scrubCutText(searchFor([secret]), text).text;
  it.each([
    ['goes from the first beginning', 'abcabcabcabcabcabcX', 'see abcabcabc', 'see '],
    ['goes up to one character', 'Secret-Of-Many-Letters', 'see S', 'see '],
    ['goes in any case', 'Secret-Of-Many-Letters', 'see SECRET-of', 'see '],
    ['goes in its own case if it is short', 'Changeme', 'see Chang', 'see '],
    ['stays in another case if it is short', 'Changeme', 'see cHANG', 'see cHANG'],
    ['stays where it is longer than the secret', 'Changeme', 'see Changemes', 'see Changemes'],
    ['goes under two levels of escapes', 'p@ss&word-1', '%2541 p%2540ss%2526w', '%2541 '],
    ['goes where the secret looks escaped', 'a%20b%20c%20d', '%41 a%20b%20', '%41 '],
  ])('%s', (_name, secret, text, shown) => {
    expect(cut(secret, text)).toBe(shown);
  });

  it('is compared with the secret 512 times; then it goes', () => {
    const secret = `ab${'a'.repeat(1_100)}`;
    expect(cut(secret, `${'a'.repeat(512)}x`)).toBe(`${'a'.repeat(512)}x`);
    expect(cut(secret, `${'a'.repeat(513)}x`)).toBe('a'.repeat(512));
    const before = 'S '.repeat(600);
    expect(cut('Secret-Of-Many-Letters', `${before}in the end nothing`)).toBe(
      `${before}in the end nothing`,
    );
  });
});
