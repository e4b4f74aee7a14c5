import { describe, expect, it } from 'vitest';
import { searchFor } from '../src/redact/redactor.ts';
import { scrubText } from '../src/redact/scrub.ts';
import { scrubJson } from '../src/redact/scrub-json.ts';

const bytes = (text: string) => Buffer.from(text).toString('latin1');
const scrubbed = (secret: string, text: string) => scrubText(searchFor([secret]), text).text;

/** Base64 and base64url, each with and without padding. */
const inBase64 = (text: string) => {
  const octets = Buffer.from(text, 'latin1');
  const padded = octets.toString('base64');
  const url = octets.toString('base64url');
  return new Set([padded, padded.replace(/=+$/, ''), url, url + padded.replace(/^[^=]*/, '')]);
};

const SHORT = ['changeme', 'p>>?ss?>w', 'o/~?~?', 'abcdef', bytes('pässwörd'), 'p\xe4ssw\xf6rd'];
const LONG = [
  ...['Secret-Of-Many-Letters', 'p>>?ss?>w<rd?~?~', '0123456789abcdef0'],
  bytes('Pässwörd-Of-Many-Letters'),
];
const APART = ['', ':', '{"a":"', 'ab:', 'abc, ', ' - - '];
const WORDS = ['x', '1x', 'ab:x', '_', bytes('ä'), bytes('日')];

describe('within base64', () => {
  it('a long secret is found wherever it stands', () => {
    for (const secret of LONG) {
      for (const before of [...APART, ...WORDS]) {
        for (const behind of ['', 'x', '", ', 'xyz']) {
          for (const text of inBase64(before + secret + behind)) {
            const shown = scrubbed(secret, `data: "${text}" abcd`);
            expect(shown, `${before}${secret}${behind}`).toMatch(
              /^data: "[^ :"]{0,8}REDACTED[^ "]{0,9}" abcd$/,
            );
          }
        }
      }
    }
  });

  it('nothing is left of a secret alone', () => {
    for (const secret of [...LONG, ...SHORT, 'changeme1', 'change-1me'])
      for (const text of inBase64(secret)) expect(scrubbed(secret, text), text).toBe('REDACTED');
  });

  it('a short secret is found where it stands by itself', () => {
    for (const secret of SHORT) {
      for (const before of APART) {
        for (const behind of ['', ':', '"}', ' x', ', ab', ' \xff']) {
          for (const text of inBase64(before + secret + behind)) {
            const shown = scrubbed(secret, `data: "${text}" abcd`);
            expect(shown, `${before}${secret}${behind}`).toMatch(
              /^data: "[^ :"]{0,8}REDACTED[^ "]{0,9}" abcd$/,
            );
          }
        }
      }
    }
  });

  it('a short secret within a word is none', () => {
    for (const secret of SHORT) {
      for (const word of WORDS) {
        for (const [before, behind] of [
          [word, ''],
          ['ab:', word.split('').reverse().join('')],
          [word, ' x'],
        ] as const) {
          if (before === 'ab:' && !/\w/.test(word)) continue;
          for (const text of inBase64(before + secret + behind)) {
            expect(scrubbed(secret, `data: "${text}" abcd`), text).toBe(`data: "${text}" abcd`);
          }
        }
      }
    }
  });
});

describe('a short secret', () => {
  it.each(
    [
      ...['', ' ', '"', '/', '-', '.', '%20', '%2520', '%252520', '\\n', '\\u0020', '\\\\u0020'],
      ...['&quot;', '&amp;quot;', '&#32;', '~1', '–', '%E2%80%93', '\\u2013'],
    ].map((apart) => [apart]),
  )('stands by itself beside %j', (apart) => {
    const word = apart === '' ? '' : 'é';
    const [before, behind] = [bytes(word + apart), bytes(apart + word)];
    expect(scrubbed('changeme', `${before}changeme${behind}`)).toBe(`${before}REDACTED${behind}`);
  });

  it.each([
    ...['x', '1', '_', 'ä', '日', '%41', '%2541', '%252541', '%C3%A4', '%5F', '\\u00e4', '\\x41'],
    ...['\\\\u00e4', '&auml;', '&amp;auml;', '&#228;', '&#65;', '٣', '\\ud835\\udc00'],
  ])('does not beside %j', (word) => {
    for (const around of ['', ' '.repeat(40)]) {
      for (const text of [`${bytes(word)}changeme`, `changeme${bytes(word)}`])
        expect(scrubbed('changeme', around + text + around)).toBe(around + text + around);
      expect(scrubbed('changeme', `${bytes(word)}changeme${around}`)).not.toContain('REDACTED');
    }
  });

  it.each(['changem', 'hangeme', 'changeme1', 'CHANGEME', 'Changeme'])('is not %s', (text) => {
    expect(scrubbed('changeme', text)).toBe(text);
    for (const encoded of inBase64(text)) expect(scrubbed('changeme', encoded)).toBe(encoded);
  });

  it.each(['changema', 'changemf', 'xhangeme'])('is not %s in base64', (text) => {
    for (const before of APART) {
      for (const encoded of inBase64(before + text))
        expect(scrubbed('changeme', encoded)).toBe(encoded);
    }
  });

  it('is not what begins like it in base64', () => {
    for (const text of inBase64('abcdef-,')) expect(scrubbed('abcdef--', text)).toBe(text);
  });

  it('has neighbours under up to three levels of escapes, once three are undone', () => {
    const under = (levels: number) => `x%${'25'.repeat(levels - 1)}20changeme`;
    expect(scrubbed('changeme', under(6))).toMatch(/ *REDACTED$/);
    expect(scrubbed('changeme', under(7))).toBe(under(7));
  });

  it('has characters, not bytes', () => {
    const [short, long] = [bytes('ä'.repeat(15)), bytes('ä'.repeat(16))];
    expect(scrubbed(short, `x${short}`)).toBe(`x${short}`);
    expect(scrubbed(short, `x ${short}`)).toBe('x REDACTED');
    expect(scrubbed(long, `x${long}`)).toBe('xREDACTED');
    expect(scrubbed('\xe4'.repeat(15), `x${short}`)).toBe(`x${short}`);
    expect(scrubbed('\xe4'.repeat(16), `x${long}`)).toBe('xREDACTED');
  });
});

describe('a secret that looks escaped', () => {
  it.each([
    ['a%20bcd', 'a bcd', 'a bcd'],
    ['a%20bcde', 'a bcde', 'REDACTED'],
    // A backslash at its end is read with what follows.
    ['pass/word\\', 'pass~1word\\ntype', 'REDACTED\\ntype'],
    ['a/bcd\\', 'a~1bcd\\/type', 'REDACTED\\/type'],
    ['pass/word\\', 'pass~1wor\\ntype', 'pass~1wor\\ntype'],
  ])('%s in %s', (secret, text, shown) => {
    expect(scrubbed(secret, text)).toBe(shown);
  });
});

describe('a secret that is a number', () => {
  it.each([
    ['0012345678', '[12345678]', '["REDACTED"]'],
    ['0012345678', '["0012345678"]', '["REDACTED"]'],
    ['1234567.50', '[1234567.5,1234567.50]', '["REDACTED","REDACTED"]'],
    ['-1234567.0', '[-1234567,1234567]', '["REDACTED",1234567]'],
    ['12345678901234567890123', '[1.2345678901234568e+22]', '["REDACTED"]'],
    ['9'.repeat(400), '["to Infinity",null]', '["to Infinity",null]'],
    ['1e99999', '["Infinity",null]', '["Infinity",null]'],
    ['secret-1', '["NaN",1]', '["NaN",1]'],
  ])('%s in %s', (secret, text, shown) => {
    expect(scrubJson(searchFor([secret]), text).text).toBe(shown);
  });
});
