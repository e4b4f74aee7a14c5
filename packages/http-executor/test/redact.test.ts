import { describe, expect, it } from 'vitest';
import { redactionRules } from '../src/redact/header-names.ts';
import { redactorFactory, searchFor } from '../src/redact/redactor.ts';
import { scrubCutText, scrubText } from '../src/redact/scrub.ts';
import { scrubJson } from '../src/redact/scrub-json.ts';

const redactorFor = redactorFactory(redactionRules('all', {}));
const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');
const bytes = (text: string) => Buffer.from(text).toString('latin1');

const LONG = 'Secret-Of-Many-Letters';

describe('the secrets of a request', () => {
  it.each([
    ['a token', 'authorization', `Bearer ${LONG}`, [LONG]],
    ['a token without scheme', 'authorization', LONG, [LONG]],
    [
      'Basic',
      'authorization',
      `Basic ${base64('octocat:hunter22')}`,
      [base64('octocat:hunter22'), 'hunter22'],
    ],
    [
      'a user without password',
      'authorization',
      `Basic ${base64('sk_live_1:')}`,
      [base64('sk_live_1:'), 'sk_live_1'],
    ],
    [
      'Digest',
      'authorization',
      'Digest username="someone", realm="realm-1", uri="/long/path", response="abcdef12"',
      ['abcdef12'],
    ],
    [
      'AWS 4',
      'authorization',
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/x, SignedHeaders=host, Signature=5d672d79',
      ['5d672d79'],
    ],
    ['AWS 2', 'authorization', 'AWS AKIDEXAMPLE:frJIUN8DYpKDtOLCwo', ['frJIUN8DYpKDtOLCwo']],
    ['a parameter alone', 'authorization', `key=${LONG}`, [LONG]],
    ['a signature with its time', 'x-signature', `t=1712345678,v1=${LONG}`, [LONG]],
    ['a cookie in a header of its own', 'x-session-cookie', `sid=${LONG}`, [LONG]],
    [
      'a session beside preferences',
      'cookie',
      `tz=Europe/Berlin; lang=english; sid=${LONG}`,
      [LONG],
    ],
    ['a cookie that looks random', 'cookie', 'a=8f14e45fceea167a', ['8f14e45fceea167a']],
    ['words in cookies', 'cookie', 'sidebar=collapsed; author=shakespeare; residence=Hamburg', []],
    [
      'a long random preference',
      'cookie',
      `view=${'0123456789abcdef'.repeat(2)}`,
      ['0123456789abcdef'.repeat(2)],
    ],
    ['a list', 'authorization', `Bearer ${LONG}1, Bearer ${LONG}2`, [`${LONG}1`, `${LONG}2`]],
    ['a quoted comma', 'authorization', `Digest username=",I  x", response="${LONG}"`, [LONG]],
    ['a bearer token like a parameter', 'authorization', 'Bearer h=o#W_={', ['h=o#W_={']],
    ['a scheme alone', 'authorization', 'Bearer', []],
    ['an idempotency key', 'idempotency-key', 'order-1001-abcdef', []],
    ['five characters', 'x-api-key', 'abcde', []],
    ['six characters', 'x-api-key', 'abcdef', ['abcdef']],
  ])('%s', (_name, header, value, secrets) => {
    expect(redactorFor(new Map([[header, value]])).secrets).toEqual(secrets);
  });
});

it('of more than 64 are refused', () => {
  const cookies = (count: number) =>
    Array.from({ length: count }, (_, n) => `sid=secret-${n}`).join('; ');
  expect(redactorFor(new Map([['cookie', cookies(64)]])).secrets).toHaveLength(64);
  const message = 'must hold at most 64 credentials; send fewer cookies or parameters';
  expect(() => redactorFor(new Map([['cookie', cookies(65)]]))).toThrow(
    expect.objectContaining({
      code: 'InvalidAction',
      message: `Correct \`/headers\`: it ${message}.`,
      violations: [{ pointer: '/headers', message }],
    }),
  );
});

it('a search is prepared once for the same credentials', () => {
  const searchOf = (...headers: [string, string][]) => redactorFor(new Map(headers)).search;
  const search = searchOf(['x-api-key', LONG], ['x-a', '1']);
  expect(search).toBeDefined();
  expect(searchOf(['x-b', '2'], ['x-api-key', LONG])).toBe(search);
  expect(searchOf(['x-api-key', `${LONG}s`])).not.toBe(search);
  expect(searchOf(['x-auth-token', LONG])).not.toBe(search);
  expect(searchOf(['x-a', LONG])).toBeUndefined();
  expect(searchOf(['authorization', 'Bearer'])).toBeUndefined();
});

const ECHOES: [name: string, secret: string, echo: string][] = [
  ['any case', LONG, `got ${LONG.toUpperCase()}s`],
  ['HTML', 'p@ss&w<rd1', 'got p@ss&amp;w&lt;rd1'],
  ['HTML by names', 'p@ss&w<rd1', 'got p&commat;ss&amp;w&lt;rd1'],
  ['HTML by numbers', 'p@ss&w<rd1', 'got p&#64;ss&#x26;w&#060;rd1'],
  ['an URL', 'p@ss&w<rd1', 'got p%40ss%26w%3Crd1'],
  ['an URL within an URL', 'p@ss&w<rd1', 'got p%2540ss%2526w%253Crd1'],
  ['JSON', 'p@ss&w<rd1', 'got p@ss\\u0026w\\u003crd1'],
  ['JSON within JSON', 'p@ss&w<rd1', 'got p@ss\\\\u0026w\\\\u003crd1'],
  ['HTML as Go writes it in JSON', 'p@ss&w<rd1', 'got p@ss\\u0026amp;w\\u0026lt;rd1'],
  ['a JSON Pointer', 'p@ss/w~rd1', 'got p@ss~1w~0rd1'],
  ['a JSON Pointer, behind which another member comes', 'k /  \\\\', 'got k ~1  \\\\/type'],
  ['a form', 'pass word 1', 'got pass+word+1'],
  ['other scripts', bytes('pässwörd'), bytes('got pässwörd')],
  ['other scripts, URL-encoded', bytes('pässwörd'), 'got p%C3%A4ssw%C3%B6rd'],
  ['other scripts, in JSON escapes', bytes('pässwörd😀'), 'got p\\u00e4ssw\\u00f6rd\\ud83d\\ude00'],
  ['UTF-8 of what was latin1', 'p\xe4ssw\xf6rd', bytes('got pässwörd')],
  ['latin1 of what was UTF-8', bytes('pässwörd'), 'got p\xe4ssw\xf6rd'],
  ['base64', 'p@ss&w<rd1', `got ${base64('p@ss&w<rd1')}`],
  ['base64 within more', LONG, `got ${base64(`{"token":"${LONG}"}`)}`],
  ['base64url', 'p>>?ss?>w<rd1', `got ${Buffer.from('p>>?ss?>w<rd1').toString('base64url')}`],
  ['a secret that looks escaped', 'abc%2Fdef%20', 'got abc%252Fdef%2520'],
];

describe('an echo is found', () => {
  it.each(ECHOES)('in %s', (_name, secret, echo) => {
    const { text, redactions } = scrubText(searchFor([secret]), echo);
    expect(redactions).toBe(1);
    expect(text).toMatch(/^got \S*REDACTED\S*$/);
  });
});

describe('a short secret is found by itself alone', () => {
  it.each([
    ['changeme', 'REDACTED'],
    ['"changeme"', '"REDACTED"'],
    ['a-changeme.b', 'a-REDACTED.b'],
    ['\\nchangeme', '\\nREDACTED'],
    ['a%20changeme', 'a%20REDACTED'],
    ['changemes', 'changemes'],
    ['1changeme', '1changeme'],
    ['_changeme', '_changeme'],
    ['ChangeMe', 'ChangeMe'],
  ])('%s → %s', (text, expected) => {
    expect(scrubText(searchFor(['changeme']), text).text).toBe(expected);
  });

  it.each([
    ['123456789012345', 'x123456789012345', 0],
    ['1234567890123456', 'x1234567890123456', 1],
  ])('%s in %s: %i', (secret, text, redactions) => {
    expect(scrubText(searchFor([secret]), text).redactions).toBe(redactions);
  });
});

describe('a JSON document', () => {
  it.each([
    [
      'keeps what is around',
      `{ "a" :["x ${LONG}",1.50,1e5] }`,
      '{ "a" :["x REDACTED",1.50,1e5] }',
      1,
    ],
    [
      'keeps names apart',
      `{"${LONG}":1,"${LONG.toUpperCase()}":2}`,
      '{"REDACTED":1,"REDACTED_2":2}',
      2,
    ],
    [
      'keeps names apart from its own',
      `{"REDACTED":0,"${LONG}":1}`,
      '{"REDACTED":0,"REDACTED_2":1}',
      1,
    ],
    [
      'keeps the names of each object',
      `[{"${LONG}":1},{"${LONG}":2}]`,
      '[{"REDACTED":1},{"REDACTED":2}]',
      2,
    ],
    ['counts two in one string', `["${LONG}/${LONG}"]`, '["REDACTED/REDACTED"]', 2],
    [
      'numbers names alone',
      `{"a":"${LONG}","b":["${LONG}","${LONG}"]}`,
      '{"a":"REDACTED","b":["REDACTED","REDACTED"]}',
      3,
    ],
    [
      'leaves names that differ',
      `{"x ${LONG}":1,"y ${LONG}":{"x ${LONG}":2}}`,
      '{"x REDACTED":1,"y REDACTED":{"x REDACTED":2}}',
      3,
    ],
    [
      'numbers names above its own',
      `{"REDACTED_12":0,"${LONG}":1,"REDACTED_7":2}`,
      '{"REDACTED_12":0,"REDACTED_13":1,"REDACTED_7":2}',
      1,
    ],
    [
      'numbers names above its own that are escaped',
      `{"R\\u0045DACTED":0,"${LONG}":1,"REDACTED\\u005f4":2}`,
      '{"R\\u0045DACTED":0,"REDACTED_5":1,"REDACTED\\u005f4":2}',
      1,
    ],
    ['keeps other scripts', bytes(`{"ä":"ö ${LONG} 日"}`), bytes('{"ä":"ö REDACTED 日"}'), 1],
    ['is read once, however it is escaped', `["${LONG}","\\u0041"]`, '["REDACTED","\\u0041"]', 1],
  ])('%s', (_name, text, expected, redactions) => {
    expect(scrubJson(searchFor([LONG]), text)).toEqual({ text: expected, redactions });
  });

  const [lower, upper] = [LONG.toLowerCase(), LONG.toUpperCase()];
  it.each([
    [[LONG, lower, `${LONG}_2`]],
    [[`${LONG}_2`, LONG, lower]],
    [[LONG, lower, upper, `${LONG}_2`, `${lower}_2`, `${upper}_3`, `${LONG}_3`, `${LONG}_22`]],
    [[LONG + LONG, LONG + lower, lower + LONG, `${LONG}_2${lower}`, `${LONG}_2${lower}_2`]],
    [
      [
        `${LONG}2`,
        `${lower}2`,
        ...Array.from({ length: 30 }, (_, n) => `${LONG}_${n}`),
        LONG,
        upper,
      ],
    ],
    [[`${bytes('ä')}${LONG}`, `\\u00e4${lower}`, `\\u00E4${upper}`]],
    [[`a${LONG}`, `\\u0061${lower}`, `\\u0061${upper}`]],
  ])('keeps members apart: %j', (names) => {
    const text = `{${names.map((name, n) => `"${name}":${n}`).join(',')}}`;
    const { text: shown, redactions } = scrubJson(searchFor([LONG]), text);
    expect(shown.toLowerCase()).not.toContain(lower);
    const read = JSON.parse(Buffer.from(shown, 'latin1').toString());
    expect(Object.keys(read)).toHaveLength(names.length);
    expect(redactions).toBeGreaterThanOrEqual(names.length);
  });

  it.each([
    ['nSecret-Of-Many-Letters', '["\\nSecret-Of-Many-Letters"]', '["REDACTED"]'],
    ['nchangeme', '["a\\nchangeme"]', '["aREDACTED"]'],
    ['0041abcdefghijkl', '["\\u0041abcdefghijkl"]', '["REDACTED"]'],
    ['1abcdefghijklmnop', '["\\u0041abcdefghijklmnop"]', '["REDACTED"]'],
    ['abcdefghijklmnop\\u00', '["abcdefghijklmnop\\u0022"]', '["REDACTED"]'],
    ['abcdefghijklmnop\\', '["abcdefghijklmnop\\"",1]', '["REDACTED",1]'],
    ['uabcdefghijklmnop', '{"\\\\uabcdefghijklmnop":1}', '{"\\\\REDACTED":1}'],
    ['"abcdefgh', '["abcdefgh"]', '["abcdefgh"]'],
    ['abcdefgh"', '["abcdefgh"]', '["abcdefgh"]'],
    ['"abcdefgh', '["\\"abcdefgh"]', '["REDACTED"]'],
    ['[1,true,false,null]', '[[1,true,false,null]]', '[[1,true,false,null]]'],
  ])('stays one: %j in %s', (secret, text, shown) => {
    expect(scrubJson(searchFor([secret]), text).text).toBe(shown);
    expect(() => JSON.parse(shown)).not.toThrow();
  });

  it('numbers a name until it is free', () => {
    const text = `{"${LONG}":1,"${lower}":2,"${LONG}_2":3,"${LONG}_2":4}`;
    expect(scrubJson(searchFor([LONG]), text).text).toBe(
      '{"REDACTED":1,"REDACTED_2":2,"REDACTED_2_2":3,"REDACTED_3_2":4}',
    );
  });

  it('keeps the escapes beside a secret, and other scripts before it', () => {
    expect(scrubJson(searchFor([LONG]), `["\\n${LONG}\\n"]`).text).toBe('["\\nREDACTED\\n"]');
    expect(scrubJson(searchFor([LONG]), bytes(`["äöü日本","${LONG}"]`)).text).toBe(
      bytes('["äöü日本","REDACTED"]'),
    );
  });

  it('shows numbers that begin or end with the secret', () => {
    const text = '[1234567890123456,12345678901234567,91234567890123456,1234567890123456]';
    const shown = '["REDACTED",12345678901234567,91234567890123456,"REDACTED"]';
    const search = searchFor(['1234567890123456']);
    expect(scrubJson(search, text)).toEqual({ text: shown, redactions: 2 });
    const escaped = '[1234567890123456,"\\u0041"]';
    expect(scrubJson(search, escaped).text).toBe('["REDACTED","\\u0041"]');
  });

  it('shows numbers unless they are the secret', () => {
    const text = '[123456,-123456,1234567,0.123456,"123456","1712345678"]';
    const expected = '["REDACTED",-123456,1234567,0.123456,"REDACTED","1712345678"]';
    expect(scrubJson(searchFor(['123456']), text).text).toBe(expected);
  });

  it('is not read across its strings', () => {
    const text = '{"a":"one","b":"two"}';
    expect(scrubJson(searchFor(['one","b":"two', 'a":"one","b":"two']), text)).toEqual({
      text,
      redactions: 0,
    });
  });
});

describe('a text that was cut off', () => {
  it.each([
    [`see ${LONG.slice(0, 12)}`, 'see '],
    [`see ${encodeURIComponent('p@ss&w<rd-and-more').slice(0, 6)}`, 'see ', 'p@ss&w<rd-and-more'],
    [`see ${LONG} and`, 'see REDACTED and'],
    ['see nothing', 'see nothing'],
    ['see nothing%4', 'see nothing'],
    ['see nothing\\u00', 'see nothing'],
    ['see nothing&am', 'see nothing'],
    ['see nothing~', 'see nothing'],
    ['see 4%', 'see 4'],
  ])('%s → %s', (text, expected, secret = LONG) => {
    expect(scrubCutText(searchFor([secret]), text).text).toBe(expected);
  });

  it('loses an escape that is not finished', () => {
    const search = searchFor([LONG]);
    const unfinished = String.raw`% %4 %a \ \u \u0 \u00 \u00E \x \x4 \xA & &a &# &#6 &#x41 &amp &frac12 ~`;
    for (const end of unfinished.split(' '))
      expect(scrubCutText(search, `see x${end}`).text, end).toBe('see x');
    const whole = String.raw`%41 %g \u0041 \ug \x41 \xg \" &amp; &a-b &## ~0 x`;
    for (const end of whole.split(' '))
      expect(scrubCutText(search, `see x${end}`).text, end).toBe(`see x${end}`);
  });

  it.each([
    ['that holds another secret', 'see a abcdef-and', 'see ', 0],
    ['that begins with another secret', 'see abcdef-x', 'see ', 0],
    ['behind another secret', 'see abcdef, a abcdef', 'see REDACTED, ', 1],
  ])('loses the beginning of a secret %s', (_name, text, shown, redactions) => {
    const search = searchFor(['abcdef', 'a abcdef-and-much-more', 'abcdef-x-and-more']);
    expect(scrubCutText(search, text)).toEqual({ text: shown, redactions });
  });
});
