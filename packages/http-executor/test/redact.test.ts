import { describe, expect, it } from 'vitest';
import { redactionRules } from '../src/index.ts';
import { literalMatcher } from '../src/literal-matcher.ts';
import { createRedactor } from '../src/redact.ts';

const CASES: [name: string, literals: string[], text: string, expected: string, count: number][] = [
  ['nothing to find', ['secret'], 'plain', 'plain', 0],
  ['one', ['secret'], 'a secret b', 'a # b', 1],
  ['one that is the whole text', ['secret', 'longer-secret'], 'secret', '#', 1],
  ['nothing in a text that is shorter', ['secret', 'longer-secret'], 'ecret', 'ecret', 0],
  ['two in a row', ['secret'], 'secretsecret', '##', 2],
  ['the longer of two', ['secret', 'secret-key'], 'secret-key', '#', 1],
  ['the longer around the shorter', ['cret', 'a secret b'], 'a secret b', '#', 1],
  ['two that overlap, as one', ['abcdef', 'defghi'], 'xabcdefghix', 'x#x', 1],
  ['one after a false start', ['aaab'], 'aaaaab', 'aa#', 1],
  ['a suffix of another', ['bcd', 'abcx'], 'abcd', 'a#', 1],
  ['one between other scripts', ['secret'], 'é😀secretß', 'é😀#ß', 1],
  ['nothing across another script', ['secret'], 'sec€ret', 'sec€ret', 0],
];

describe('the literal matcher', () => {
  it.each(CASES)('replaces %s', (_name, literals, text, expected, count) => {
    expect(literalMatcher(literals).replace(text, '#')).toEqual({ text: expected, count });
  });

  it('agrees with a plain search on random texts', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const word = (length: number) => Array.from({ length }, () => 'ab'[random(2)]).join('');
    for (let round = 0; round < 500; round++) {
      const literals = Array.from({ length: 3 }, () => word(2 + random(4)));
      const text = word(30);
      const covered = new Array<boolean>(text.length).fill(false);
      for (const literal of literals) {
        for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
          covered.fill(true, at, at + literal.length);
        }
      }
      const left = [...text].filter((_, index) => !covered[index]).join('');
      expect(literalMatcher(literals).replace(text, '#').text.replaceAll('#', '')).toBe(left);
    }
  });
});

const utf8Base64 = (text: string) => Buffer.from(text).toString('base64');

const ECHOES: [name: string, header: string, value: string, echo: string][] = [
  ['a parameter of a scheme', 'authorization', 'Token token=SEKRIT123456', 'got SEKRIT123456'],
  ['a quoted parameter', 'authorization', 'Digest response="abcdef0123"', 'got abcdef0123'],
  ['a quoted parameter with spaces', 'authorization', 'Digest username="Jane, Q. Public"', 'got Jane, Q. Public'],
  ['a quoted parameter with escapes', 'authorization', 'Digest username="ab\\"cd\\"ef"', 'got ab"cd"ef'],
  ['HTML', 'x-api-key', 'p@ss&w<rd1', 'got p@ss&amp;w&lt;rd1'],
  ['an URL', 'x-api-key', 'p@ss&w<rd1', 'got p%40ss%26w%3Crd1'],
  ['a password of other scripts', 'authorization', `Basic ${utf8Base64('me:pässwörd')}`, 'got pässwörd'],
  ['the same, URL-encoded', 'authorization', `Basic ${utf8Base64('me:pässwörd')}`, 'got p%C3%A4ssw%C3%B6rd'],
  ['an URL within an URL', 'x-api-key', 'p@ss&w<rd1', 'got p%2540ss%2526w%253Crd1'],
  ['JSON within JSON', 'x-api-key', 'p@ss&w<rd1', 'got p@ss\\\\u0026w\\\\u003crd1'],
  ['a cookie that was decoded', 'cookie', 'sid=a%2Fb%20c%3Dd', 'got a/b c=d'],
  ['lower case', 'x-api-key', 'SEKRIT-KeY', 'got sekrit-key'],
  ['base64', 'x-api-key', 'p@ss&w<rd1', `got ${btoa('p@ss&w<rd1')}`],
  ['a subscription key', 'ocp-apim-subscription-key', 'abcdef0123', 'got abcdef0123'],
  ['an access key', 'x-access-key', 'abcdef0123', 'got abcdef0123'],
  ['a JWT', 'x-jwt-assertion', 'abcdef0123', 'got abcdef0123'],
];

describe('an echoed credential', () => {
  const rules = redactionRules('all', []);

  it.each(ECHOES)('in the form of %s is scrubbed', (_name, header, value, echo) => {
    const redactor = createRedactor(new Map([[header, value]]), rules);
    expect(redactor.value({ body: [echo] })).toEqual({ body: ['got REDACTED'] });
    expect(redactor.count()).toBe(1);
  });

  it('leaves rate limits readable', () => {
    const redactor = createRedactor(new Map(), rules);
    const headers = { 'x-ratelimit-remaining-tokens': '7', 'x-session-token': 'abc' };
    expect(redactor.headers(headers)).toEqual({ 'x-ratelimit-remaining-tokens': '7', 'x-session-token': 'REDACTED' });
  });
});
