import { describe, expect, it } from 'vitest';
import { Refusal } from '../src/errors.ts';
import { cookieSecrets } from '../src/redact/cookies.ts';
import { redactionRules } from '../src/redact/header-rules.ts';
import { redactorFactory } from '../src/redact/redactor.ts';
import { headersOf, redactRefusal, redactViolations } from '../src/redact/refusals.ts';
import { secretsIn } from '../src/redact/secrets.ts';
import { originsOf, unescapeOnce } from '../src/redact/unescape.ts';

const SECRET = 'Secret-Of-Many-Letters';
const LOGIN = new Map([['authorization', `Bearer ${SECRET}`]]);
const redactor = (headers: ReadonlyMap<string, string> = LOGIN) =>
  redactorFactory(redactionRules('all', {}))(headers);

describe('cookies', () => {
  it.each([
    'session',
    'sessionid',
    'PHPSESSID',
    'JSESSIONID',
    'connect.sid',
    'sid',
    'auth',
    'authorization',
    'token',
    'jwt',
    'csrf',
    'XSRF-TOKEN',
    'secret',
    'remember_me',
    'password',
    'credential',
    'ticket',
    'api_key',
    'api-key',
    'apikey',
  ])('%s is a secret, whatever its value', (name) => {
    expect(cookieSecrets(`${name}=plain`)).toEqual(['plain']);
  });

  it.each(['sidebar', 'author', 'residence', 'sessions_seen', 'inside', 'a'])(
    '%s is none by its name',
    (name) => {
      expect(cookieSecrets(`${name}=plain`)).toEqual([]);
    },
  );

  const PREFERENCES =
    'lang locale i18n tz timezone time-zone time_zone theme color colour font layout currency country region city consent gdpr banner notice prefer prefs sidebar view sort page size width dismiss seen variant experiment';
  it('preferences are none up to 24 characters, whatever their value', () => {
    for (const name of PREFERENCES.split(' ')) {
      expect(cookieSecrets(`${name}=a1b2c3d4`), name).toEqual([]);
      expect(cookieSecrets(`${name}=${'a1'.repeat(12)}`), name).toEqual([]);
      expect(cookieSecrets(`${name}=${'a1'.repeat(12)}b`), name).toEqual([`${'a1'.repeat(12)}b`]);
    }
  });

  it.each<[value: string, secret: boolean]>([
    ['a'.repeat(15), false],
    ['a'.repeat(16), true],
    ['1'.repeat(15), false],
    ['1'.repeat(16), true],
    ['abc12', false],
    ['abc123', true],
    ['123abc', true],
    ['123456', false],
    ['abcdef', false],
    ['de-DE', false],
    ['Europe/Berlin', false],
    ['2026-01-02', false],
    ['abc-def-a1b2c3', true],
  ])('%s looks random: %s', (value, secret) => {
    expect(cookieSecrets(`x=${value}`)).toEqual(secret ? [value] : []);
  });

  it('reads several, with blanks, quotes and without a value', () => {
    expect(cookieSecrets(' sid = "quoted" ;token=a=b; sid ;=x')).toEqual(['quoted', 'a=b']);
  });

  it('adds the decoded value', () => {
    expect(cookieSecrets('sid=a%2Fb%c3')).toEqual(['a%2Fb%c3', 'a/b\xc3']);
    expect(cookieSecrets('sid=a%zz')).toEqual(['a%zz', 'a%zz']);
  });
});

describe('secrets', () => {
  const isCredential = redactionRules('all', {}).isCredential;
  const secrets = (value: string, header = 'authorization') =>
    secretsIn(new Map([[header, value]]), isCredential);

  it('are looked for in credentials alone, once each', () => {
    const headers = new Map([
      ['x-a', SECRET],
      ['x-api-key', SECRET],
      ['x-auth-token', SECRET],
    ]);
    expect(secretsIn(headers, isCredential)).toEqual([SECRET]);
  });

  const PUBLIC =
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid client_id clientname created credential date device deviceid domain email expires ext headers id iss keyid key_id kid method nc oauth_callback oauth_signature_method oauth_timestamp oauth_version oauth_consumer_id qop realm scope sig_method signature_method signature_version signedheaders t timestamp ts uri user userhash userid user_id username username* v ver version';
  it('are no public parameters', () => {
    for (const name of PUBLIC.split(' ').filter((each) => !each.endsWith('*'))) {
      expect(secrets(`Scheme ${name}="long-value-1", response="abcdef"`), name).toEqual(['abcdef']);
      expect(secrets(`Scheme ${name.toUpperCase()}=long-value-1, response=abcdef`), name).toEqual([
        'abcdef',
      ]);
    }
  });

  it.each<[name: string, value: string, found: string[], header?: string]>([
    ['a quoted parameter with escapes', 'Digest response="abc\\"def"', ['abc\\"def', 'abc"def']],
    ['parameters that are too short', 'Scheme response=abcde', ['response=abcde']],
    ['no secret parameter under a scheme', 'Scheme realm=long-value', []],
    ['no secret parameter without a scheme', 'realm=long-value', ['realm=long-value']],
    ['a value with a name inside', 'Scheme sig=keyId=abcdefg', ['keyId=abcdefg', 'abcdefg']],
    ['the padding of base64', 'Scheme QWxhZGRpbg==', ['QWxhZGRpbg==']],
    ['a token with a colon', 'Token account:abcdefgh', ['account:abcdefgh', 'abcdefgh']],
    ['a signed scheme', 'HMAC account:abcdefgh', ['abcdefgh']],
    ['a scheme in another header', 'Scheme abcdefgh', ['Scheme abcdefgh', 'abcdefgh'], 'x-api-key'],
    ['parameters in another header', 'Scheme a=abcdefgh', ['abcdefgh'], 'x-api-key'],
    ['a comma in another header', 'abcdef, Bearer ghijkl', ['abcdef, Bearer ghijkl'], 'x-api-key'],
    [
      'a list with tabs',
      'Bearer abcdefg,\tBasic OnNlY3JldC0x',
      ['abcdefg', 'OnNlY3JldC0x', 'secret-1'],
    ],
    ['an empty scheme', 'BASIC', []],
    ['Negotiate alone', 'Negotiate', []],
  ])('%s', (_name, value, found, header) => {
    expect(secrets(value, header)).toEqual(found);
  });

  it('a quote that does not end hides what follows', () => {
    expect(secrets('Digest response="abcdef, Bearer ghijkl')).not.toContain('ghijkl');
  });

  it.each('acs aws goog1 hmac obs oss qbox qiniu sharedkey sharedkeylite ucloud'.split(' '))(
    '%s signs',
    (scheme) => {
      expect(secrets(`${scheme.toUpperCase()} account:abcdefgh`)).toEqual(['abcdefgh']);
    },
  );
});

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
  });
});
