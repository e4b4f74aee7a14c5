import { describe, expect, it } from 'vitest';
import { Refusal } from '../src/errors.ts';
import { redactionRules } from '../src/redact/header-names.ts';
import { redactorFactory } from '../src/redact/redactor.ts';
import { headersOf, redactRefusal, redactViolations } from '../src/redact/refusals.ts';
import { originsOf, unescapeOnce } from '../src/redact/unescape.ts';

const SECRET = 'Secret-Of-Many-Letters';
const LOGIN = new Map([['authorization', `Bearer ${SECRET}`]]);
const redactor = (headers: ReadonlyMap<string, string> = LOGIN) =>
  redactorFactory(redactionRules('all', {}))(headers);

describe('headers of a response', () => {
  const shown = (mode: 'all' | 'strict', names: string[], options = {}) => {
    const made = redactorFactory(redactionRules(mode, options))(new Map());
    return JSON.parse(made.headers(Object.fromEntries(names.map((name) => [name, 'v']))));
  };

  it('in strict mode are those that are harmless', () => {
    const safe =
      'accept-ranges age allow cache-control content-encoding content-language content-length content-range content-type date deprecation etag expires last-modified link location retry-after sunset vary x-correlation-id x-request-id x-total-count ratelimit ratelimit-limit x-ratelimit-reset'.split(
        ' ',
      );
    expect(
      Object.keys(shown('strict', [...safe, 'server', 'x-a', 'x-a-ratelimit', 'set-cookie'])),
    ).toEqual(safe);
    expect(shown('strict', ['server', 'x-a'], { shown: ['Server'] })).toEqual({ server: 'v' });
  });

  it('are masked by name, with the settings first', () => {
    const rules = { masked: ['X-Mask', 'both'], shown: ['Set-Cookie', 'both'] };
    expect(shown('all', ['x-mask', 'both', 'set-cookie', 'x-api-key', 'x-a'], rules)).toEqual({
      'x-mask': 'REDACTED',
      both: 'REDACTED',
      'set-cookie': 'v',
      'x-api-key': 'REDACTED',
      'x-a': 'v',
    });
  });

  it('keep a name `__proto__`, and lists', () => {
    const headers = JSON.parse('{"__proto__":"v","a":["1","2"],"set-cookie":["1","2"]}');
    expect(redactor(new Map()).headers(headers)).toBe(
      '{"__proto__":"v","a":["1","2"],"set-cookie":"REDACTED"}',
    );
  });

  it('show values that are UTF-8 throughout as such, others as they came', () => {
    const headers = { a: 'plain', b: '\xc3\xbc "\xc3\xbc"', c: '\xfc', d: ['\xc3', '\xc3\xbc'] };
    const text = redactor(new Map()).headers(headers);
    expect(JSON.parse(text)).toEqual({ a: 'plain', b: 'ü "ü"', c: '\xfc', d: ['\xc3', 'ü'] });
  });

  it('are scrubbed, and counted', () => {
    const made = redactor();
    expect(made.headers({ a: `x ${SECRET}`, b: ['c', SECRET] })).toBe(
      '{"a":"x REDACTED","b":["c","REDACTED"]}',
    );
    expect(made.count()).toBe(2);
    expect(made.text(`got ${SECRET}`)).toBe('got REDACTED');
    expect(made.count()).toBe(3);
    expect(redactor(new Map()).text(SECRET)).toBe(SECRET);
  });

  it('a sentence is cut after 8 KiB, with the beginning of a secret at its end', () => {
    const made = redactor();
    expect(made.text('x'.repeat(8_192))).toHaveLength(8_192);
    expect(made.text('x'.repeat(8_193))).toHaveLength(8_192);
    expect(made.text(`${' '.repeat(8_182)}${SECRET}`)).toBe(' '.repeat(8_182));
    expect(made.text(`ä ${SECRET}`)).toBe('ä REDACTED');
  });
});

describe('refusals', () => {
  it('headersOf reads the texts among headers', () => {
    for (const value of [null, undefined, 1, {}, { headers: null }, { headers: 1 }])
      expect([...headersOf(value).headers]).toEqual([]);
    expect([...headersOf({ headers: { A: 'b', c: 1, d: ['e'] } }).headers]).toEqual([['a', 'b']]);
  });

  it('a sentence is scrubbed', () => {
    const made = redactRefusal(new Refusal('HostNotAllowed', `At ${SECRET}.`), redactor());
    expect(made).toMatchObject({
      code: 'HostNotAllowed',
      message: 'At REDACTED.',
      violations: undefined,
    });
  });

  it('violations are scrubbed, and the sentence is made of them', () => {
    const violations = [{ pointer: `/headers/${SECRET}`, message: `is ${SECRET}` }];
    const made = redactRefusal(
      new Refusal('InvalidAction', `At ${SECRET}.`, violations),
      redactor(),
    );
    expect(made.violations).toEqual([{ pointer: '/headers/REDACTED', message: 'is REDACTED' }]);
    expect(made.message).toContain('/headers/REDACTED');
    expect(made.message).not.toContain(SECRET);
  });

  it('at most 20 violations of 300 characters are kept', () => {
    const violation = { pointer: `/${'p'.repeat(299)}`, message: 'm'.repeat(301) };
    const kept = redactViolations(
      Array.from({ length: 21 }, () => violation),
      redactor(),
    );
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual({ pointer: violation.pointer, message: `${'m'.repeat(299)}…` });
    expect(redactViolations([{ pointer: `/${'p'.repeat(300)}`, message: '' }], redactor())).toEqual(
      [{ pointer: `/${'p'.repeat(298)}…`, message: '' }],
    );
  });
});

describe('unescapeOnce', () => {
  it.each([
    ['%41%2f', 'A/'],
    ['%4', '%4'],
    ['%zz', '%zz'],
    ['\\n\\r\\t\\b\\f\\"\\\\\\/', '\n\r\t\b\f"\\/'],
    ['\\u0041\\x42', 'AB'],
    ['\\u00e4', '\xc3\xa4'],
    ['\\ud83d\\ude00', '\xf0\x9f\x98\x80'],
    ['\\u004', 'u004'],
    ['\\xzz', 'xzz'],
    ['\\', '\\'],
    ['&amp;&lt;&#65;&#x42;&#X43;', '&<ABC'],
    ['&auml;', '\xc3\xa4'],
    ['&unknown;', '&unknown;'],
    ['%00\\u0000\\x00', '\0\0\0'],
    ['\\n41\\"41\\t0041', '\n41"41\t0041'],
    ['\\u0041\\u0042\\u007f\\u0080', 'AB\x7f\xc2\x80'],
    ['\\ud800\\udc00\\udbff\\udfff', '\xf0\x90\x80\x80\xf4\x8f\xbf\xbf'],
    ['\\udc00\\udc00', '\xef\xbf\xbd\xef\xbf\xbd'],
    ['\\ud83dxxde00', '\xef\xbf\xbdxxde00'],
    ['\\ud83d\\ude0', '\xef\xbf\xbdude0'],
    // Two characters, one of them in ASCII; as long as the entity; longer than it.
    ['&bne;&acE;&nGt;', '=\xe2\x83\xa5\xe2\x88\xbe\xcc\xb3&nGt;'],
    ['&amp', '&amp'],
    ['~0~1~2', '~/~2'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j reads %j', (text, read) => {
    expect(unescapeOnce(text)).toBe(read);
  });

  it('originsOf maps positions back', () => {
    expect(originsOf('a%41b\\u0042~1c', [0, 1, 2, 3, 4, 5, 6])).toEqual([0, 1, 4, 5, 11, 13, 14]);
    expect(originsOf('\\u00e4x', [0, 2, 3])).toEqual([0, 6, 7]);
    expect(originsOf('abc', [])).toEqual([]);
    expect(originsOf('\\u0041\\u0042\\ud7ff\\udc00', [1, 2, 5])).toEqual([6, 12, 18]);
    expect(originsOf('\\ud800\\udc00\\udc00\\udc00', [4, 7])).toEqual([12, 18]);
  });
});
