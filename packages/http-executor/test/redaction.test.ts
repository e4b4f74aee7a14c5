import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal, redactionRules, redactorFactory } from '../src/index.ts';
import { redact } from '../src/redact/redact.ts';
import { headersOf, redactRefusal, redactViolations } from '../src/redact/refusals.ts';
import type { Search } from '../src/redact/search.ts';
import { processorMs } from './support/processor-time.ts';

const redactorFor = redactorFactory(redactionRules('all', {}));
const withKey = (key: string) => redactorFor(new Map([['x-api-key', key]]));
const utf8InLatin1 = (text: string) => Buffer.from(text).toString('latin1');

/** A body that was not withheld, as JSON. */
function shown(body: Parameters<typeof redact>[0], search: Search | undefined) {
  const redacted = redact(body, [], search);
  if (!('json' in redacted)) throw new Error(`the body is ${redacted.reason}`);
  return redacted;
}
const redactText = (text: string, search: Search | undefined) =>
  shown({ kind: 'text', text }, search);
const redactJson = (document: Buffer, search: Search | undefined) =>
  shown({ kind: 'json', document }, search);
const redactBase64 = (bytes: Buffer, search: Search | undefined) =>
  shown({ kind: 'base64', bytes }, search);

const LONG = 'Secret-Of-Many/Letters+1';
const SHORT = 'p@ss "wd"/1';
const ACCENTS = 'pässwörd-of-16-€😀';

/** Every character of a text by the same escape. */
const each = (text: string, by: (character: string) => string) => [...text].map(by).join('');
const unicode = (text: string) =>
  each(text, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** The encodings of the contract, section 3, "Redaction: echoes". */
const ENCODINGS: Record<string, (secret: string) => string> = {
  literal: (secret) => secret,
  'JSON string': (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON string with escaped slashes': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON string of escapes alone': unicode,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (found) => found.toLowerCase()),
  'every byte percent-encoded': (secret) =>
    each(
      Buffer.from(secret).toString('latin1'),
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    ),
  form: (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
};

const PLACES: Record<string, (echo: string) => string> = {
  alone: (echo) => echo,
  'in a sentence': (echo) => `The key ${echo} is wrong.`,
  'in a query': (echo) => `/path?key=${echo}&page=2`,
  'beside escapes': (echo) => `\\n${echo}\\t and %20${echo}%0a`,
  'in other scripts': (echo) => `„${echo}“ ← 日本：${echo}`,
};

describe('an echo is scrubbed', () => {
  for (const [encoding, encode] of Object.entries(ENCODINGS))
    it(encoding, () => {
      for (const secret of [LONG, SHORT, ACCENTS])
        for (const [place, around] of Object.entries(PLACES)) {
          const { search } = withKey(utf8InLatin1(secret));
          const { json: bytes, redactions } = redactText(around(encode(secret)), search);
          const shown = JSON.parse(Buffer.from(bytes).toString());
          // Padding may be left of base64 without padding.
          expect([place, shown.replaceAll('REDACTED=', 'REDACTED')]).toEqual([
            place,
            around('REDACTED'),
          ]);
          expect(redactions).toBe(around('REDACTED').split('REDACTED').length - 1);
          const json = JSON.stringify({ [around(encode(secret))]: [around(encode(secret))] });
          const inJson = JSON.parse(redactJson(Buffer.from(json), search).json.toString());
          const clean = shown.replaceAll('REDACTED=', 'REDACTED');
          expect(JSON.stringify(inJson).replaceAll('REDACTED=', 'REDACTED')).toBe(
            JSON.stringify({ [clean]: [clean] }),
          );
        }
    });

  it('the base64 of a whole credential', () => {
    const value = `Bearer ${LONG}`;
    const { search } = redactorFor(new Map([['authorization', value]]));
    const echo = Buffer.from(value).toString('base64');
    expect(redactText(`got ${echo}`, search).json.toString()).toBe('"got REDACTED"');
  });

  it('in bytes of any kind', () => {
    const binary = Buffer.concat([Buffer.of(0, 0xff, 0x80), Buffer.from(LONG), Buffer.of(0xfe, 0)]);
    const { json: bytes, redactions } = redactBase64(binary, withKey(LONG).search);
    const shown = Buffer.from(JSON.parse(bytes.toString()), 'base64').toString('latin1');
    expect([shown, redactions]).toEqual(['\0\xff\x80REDACTED\xfe\0', 1]);
  });
});

describe('what stays as it is', () => {
  it.each<[secret: string, text: string]>([
    [LONG, LONG.toUpperCase()],
    [LONG, LONG.slice(1)],
    [LONG, encodeURIComponent(encodeURIComponent(LONG))],
    ['changeme', 'changemes'],
    ['changeme', 'exchangeme'],
    ['changeme', '1changeme'],
    ['changeme', 'changeme_2'],
    ['changeme', 'ächangeme'],
    ['changeme', 'changeme日'],
    ['changeme', '%41changeme'],
    ['changeme', 'ChangeMe'],
    ['abcdefg', 'abcdefg'],
    ['123456789012345', 'x123456789012345'],
  ])('%s in %s', (secret, text) => {
    const { json: bytes, redactions } = redactText(text, withKey(utf8InLatin1(secret)).search);
    expect([JSON.parse(bytes.toString()), redactions]).toEqual([text, 0]);
  });

  it.each([
    ['"changeme"', '"REDACTED"'],
    ['a-changeme.b', 'a-REDACTED.b'],
    ['\\nchangeme', '\\nREDACTED'],
    ['\\\\nchangeme', '\\\\nchangeme'],
    ['a%20changeme', 'a%20REDACTED'],
    ['x1234567890123456', 'x1234567890123456'],
  ])('a secret of 8 to 15 characters goes where it stands alone: %s', (text, expected) => {
    const { json: bytes } = redactText(text, withKey('changeme').search);
    expect(JSON.parse(bytes.toString())).toBe(expected);
  });

  it('a body without a secret is the same bytes', () => {
    const body = Buffer.from('["a\\n",1.00,"\xe4"]');
    expect(redactJson(body, withKey(LONG).search).json).toBe(body);
    expect(redactJson(body, undefined).json).toBe(body);
  });
});

describe('a JSON document', () => {
  const KEY = 'Secret-Of-Many-Letters';
  const scrub = (text: string, secret = KEY) => {
    const { json: bytes, redactions } = redactJson(Buffer.from(text), withKey(secret).search);
    return { text: Buffer.from(bytes).toString(), redactions };
  };

  it.each<[name: string, text: string, expected: string, redactions: number]>([
    ['keeps what is around', `{ "a" :["x ${KEY}",1.50] }`, '{ "a" :["x REDACTED",1.50] }', 1],
    ['counts two in one string', `["${KEY}/${KEY}"]`, '["REDACTED/REDACTED"]', 2],
    ['keeps names apart', `{"${KEY}":1,"${KEY}":2}`, '{"REDACTED":1,"REDACTED_2":2}', 2],
    ['keeps its own names', `{"REDACTED":0,"${KEY}":1}`, '{"REDACTED":0,"REDACTED_2":1}', 1],
    [
      'keeps its own names that are escaped',
      `{"R\\u0045DACTED":0,"${KEY}":1,"REDACTED\\u005f4":2}`,
      '{"R\\u0045DACTED":0,"REDACTED_2":1,"REDACTED\\u005f4":2}',
      1,
    ],
    ['numbers each object', `[{"${KEY}":1},{"${KEY}":2}]`, '[{"REDACTED":1},{"REDACTED":2}]', 2],
    [
      'keeps its own names with large numbers',
      `{"${KEY}":1,"REDACTED_2":2,"REDACTED_1000000000":3}`,
      '{"REDACTED_3":1,"REDACTED_2":2,"REDACTED_1000000000":3}',
      1,
    ],
    ['counts names that differ', `{"x ${KEY}":1,"${KEY}":2}`, '{"x REDACTED":1,"REDACTED_2":2}', 2],
    [
      'keeps apart names that end in numbers',
      `{"${KEY}_2":1,"${KEY}":2}`,
      '{"REDACTED_2":1,"REDACTED_3":2}',
      2,
    ],
    ['keeps other scripts', `{"ä":"ö ${KEY} 日"}`, '{"ä":"ö REDACTED 日"}', 1],
    ['keeps escapes beside it', `["\\n${KEY}\\n"]`, '["\\nREDACTED\\n"]', 1],
  ])('%s', (_name, text, expected, redactions) => {
    expect(scrub(text)).toEqual({ text: expected, redactions });
  });

  it.each([
    ['nSecret-Of-Many-Letters', '["a\\nSecret-Of-Many-Letters"]', '["a\\nSecret-Of-Many-Letters"]'],
    ['0041abcdefghijkl', '["\\u0041abcdefghijkl"]', '["\\u0041abcdefghijkl"]'],
    ['abcdefghijklmnop\\', '["abcdefghijklmnop\\\\",1]', '["REDACTED",1]'],
    ['"abcdefgh', '["abcdefgh"]', '["abcdefgh"]'],
    ['"abcdefgh', '["\\"abcdefgh"]', '["REDACTED"]'],
    ['one","b":"two-three', '{"a":"one","b":"two-three"}', '{"a":"one","b":"two-three"}'],
  ])('stays JSON: %j in %s', (secret, text, shown) => {
    expect(scrub(text, secret).text).toBe(shown);
  });

  it('changes a number only if it is the whole secret', () => {
    const text = '[12345678,-12345678,123456789,0.12345678,"12345678","1712345678"]';
    expect(scrub(text, '12345678').text).toBe(
      '["REDACTED",-12345678,123456789,0.12345678,"REDACTED","1712345678"]',
    );
  });

  it('is withheld when it repeats secrets more than 10,000 times', () => {
    const repeated = (times: number) => JSON.stringify(Array(times).fill(KEY));
    expect(scrub(repeated(10_000)).redactions).toBe(10_000);
    expect(() => scrub(repeated(10_001))).toThrow('more than 10000 times');
  });
});

describe('laws', () => {
  const key = fc.stringMatching(/^[A-Za-z0-9+/._~%-]{16,40}$/);

  it('a body keeps everything but the secret', () => {
    fc.assert(
      fc.property(key, fc.json(), fc.json(), (secret, before, after) => {
        const text = `[${before},${JSON.stringify(secret)},${after}]`;
        fc.pre(!before.includes(secret) && !after.includes(secret));
        const { json: bytes } = redactJson(Buffer.from(text), withKey(secret).search);
        expect(Buffer.from(bytes).toString()).toBe(`[${before},"REDACTED",${after}]`);
      }),
    );
  });

  it('no encoding of a secret is left anywhere', () => {
    const encodings = fc.constantFrom(...Object.values(ENCODINGS));
    fc.assert(
      fc.property(key, encodings, fc.string(), fc.string(), (secret, encode, before, after) => {
        const text = `${before} ${encode(secret)} ${after}`;
        const { json: bytes } = redactText(text, withKey(secret).search);
        expect(JSON.parse(Buffer.from(bytes).toString())).not.toContain(encode(secret));
      }),
    );
  });
});

describe('a text that was cut off', () => {
  // An escape has up to six bytes for each of the secret, whose base64 has 32.
  const UNSURE = 6 * 32;
  const excerpt = (text: string, cut = true) => {
    const about = { reason: 'x', cut, textChars: 1_000 };
    const body = { kind: 'beginning', bytes: Buffer.from(text), ...about } as const;
    return redact(body, [], withKey(LONG).search);
  };

  it('loses as much of its end as may be the beginning of a secret', () => {
    const text = `see ${LONG} and ${'x'.repeat(UNSURE)}`;
    expect(excerpt(text)).toMatchObject({ text: 'see REDACTED and ', redactions: 1 });
    expect(excerpt(text.slice(0, -1))).toMatchObject({ text: 'see REDACTED and' });
    expect(excerpt('see')).toMatchObject({ text: '' });
    expect(excerpt('see', false)).toMatchObject({ text: 'see' });
  });

  it('keeps its end if the request has no secret', () => {
    const body = { kind: 'beginning', bytes: Buffer.from('see'), reason: 'x' } as const;
    expect(redact({ ...body, cut: true, textChars: 9 }, [], undefined)).toMatchObject({
      text: 'see',
    });
  });
});

describe('what looks much like a secret', () => {
  it.each([
    ['a run of one character', `${'0'.repeat(31)}1`, '0'.repeat(60_000)],
    ['a run of letters', `${'A'.repeat(25)}=`, 'A'.repeat(100_000)],
  ])('is shown: %s', (_name, key, text) => {
    const { json: bytes } = redactText(text, withKey(key).search);
    expect(JSON.parse(bytes.toString())).toBe(text);
  });

  it('never overflows the stack', () => {
    const { search } = withKey('\\'.repeat(8_000));
    expect(() => redactText('\\'.repeat(9_000), search)).toThrow('takes too long');
  });

  it('shows no header and no sentence if they take too long to search', () => {
    const made = withKey(`${'a'.repeat(4_000)}b`);
    const value = 'a'.repeat(8_000);
    expect(made.headers({ 'x-a': value, 'x-b': 'b' })).toEqual({});
    expect(made.text(value)).toBe('REDACTED');
  });
});

it('takes time linear in the text, whatever caller and upstream bring', () => {
  const cookies = Array.from({ length: 60 }, (_, n) => `sid=${'a'.repeat(9 + n)}`).join('; ');
  const hard = [withKey(`${'a'.repeat(8_191)}b`), redactorFor(new Map([['cookie', cookies]]))];
  const texts = ['a'.repeat(1e6), '%61'.repeat(3e5), '\\'.repeat(1e6), '%xaaaaaaaaa '.repeat(1e5)];
  const scrubAll = () => {
    for (const { search } of hard)
      for (const text of texts)
        try {
          redactText(text, search);
        } catch (error) {
          expect(String(error)).toMatch(/takes too long|more than 10000 times/);
        }
  };
  expect(processorMs(scrubAll)).toBeLessThan(6_000);
});

describe('headers of a response', () => {
  const shown = (mode: 'all' | 'strict', names: string[], options = {}) => {
    const made = redactorFactory(redactionRules(mode, options))(new Map());
    return made.headers(Object.fromEntries(names.map((name) => [name, 'v'])));
  };

  it('in strict mode are those that are harmless', () => {
    const safe = ['content-type', 'link', 'retry-after', 'x-total-count', 'x-ratelimit-reset'];
    expect(Object.keys(shown('strict', [...safe, 'server', 'x-a', 'set-cookie']))).toEqual(safe);
    expect(shown('strict', ['server', 'x-a'], { shown: ['Server'] })).toEqual({ server: 'v' });
  });

  it('are masked by name, with the settings first', () => {
    const rules = { masked: ['X-Mask', 'both'], shown: ['Set-Cookie', 'both'] };
    expect(shown('all', ['x-mask', 'both', 'set-cookie', 'x-api-key', 'x-a'], rules)).toEqual({
      ...{ 'x-mask': 'REDACTED', both: 'REDACTED', 'x-api-key': 'REDACTED' },
      ...{ 'set-cookie': 'v', 'x-a': 'v' },
    });
  });

  it('keep a name `__proto__`, and lists', () => {
    const headers = JSON.parse('{"__proto__":"v","a":["1","2"],"set-cookie":["1","2"]}');
    expect(JSON.stringify(redactorFor(new Map()).headers(headers))).toBe(
      '{"__proto__":"v","a":["1","2"],"set-cookie":"REDACTED"}',
    );
  });

  it('show values that are UTF-8 throughout as such, others as they came', () => {
    const headers = { a: 'plain', b: '\xc3\xbc "\xc3\xbc"', c: '\xfc', d: ['\xc3', '\xc3\xbc'] };
    expect(redactorFor(new Map()).headers(headers)).toEqual({
      a: 'plain',
      b: 'ü "ü"',
      c: '\xfc',
      d: ['\xc3', 'ü'],
    });
  });

  it('are scrubbed, and counted with sentences', () => {
    const made = withKey(LONG);
    const headers = made.headers({ a: `x ${LONG}`, b: ['c', LONG] });
    expect(headers).toEqual({ a: 'x REDACTED', b: ['c', 'REDACTED'] });
    expect(made.text(`got ${LONG}`)).toBe('got REDACTED');
    expect(made.count()).toBe(3);
  });
});

describe('a request with more than 64 secrets', () => {
  it('is refused', () => {
    const cookies = (count: number) =>
      new Map([['cookie', Array.from({ length: count }, (_, n) => `sid=secret-${n}`).join('; ')]]);
    expect(redactorFor(cookies(64)).credentials.secrets).toHaveLength(64);
    const message = 'must hold at most 64 credentials; send fewer cookies or parameters';
    expect(() => redactorFor(cookies(65))).toThrow(
      expect.objectContaining({
        code: 'InvalidAction',
        violations: [{ pointer: '/headers', message }],
      }),
    );
  });
});

describe('a refusal', () => {
  it('is scrubbed, with its violations', () => {
    const violations = [{ pointer: `/headers/${LONG}`, message: `is ${LONG}` }];
    const refusal = new Refusal('InvalidAction', `At ${LONG}.`, violations);
    const made = redactRefusal(refusal, withKey(LONG));
    expect(made.violations).toEqual([{ pointer: '/headers/REDACTED', message: 'is REDACTED' }]);
    expect(made.message).not.toContain(LONG);
    const plain = redactRefusal(new Refusal('HostNotAllowed', `At ${LONG}.`), withKey(LONG));
    expect(plain.message).toBe('At REDACTED.');
  });

  it('has at most 20 violations of 300 characters', () => {
    const violation = { pointer: `/${'p'.repeat(299)}`, message: 'm'.repeat(301) };
    const kept = redactViolations(Array(21).fill(violation), withKey(LONG));
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual({ pointer: violation.pointer, message: `${'m'.repeat(299)}…` });
  });

  it('reads the texts among the headers of any value', () => {
    for (const value of [null, undefined, 1, {}, { headers: null }, { headers: 1 }])
      expect([...headersOf(value).headers]).toEqual([]);
    expect([...headersOf({ headers: { A: 'b', c: 1, d: ['e'] } }).headers]).toEqual([['a', 'b']]);
  });
});
