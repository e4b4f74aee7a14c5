import { describe, expect, it } from 'vitest';
import { cookieSecrets } from '../src/redact/cookies.ts';
import { redactionRules } from '../src/redact/header-names.ts';
import { credentialsIn } from '../src/redact/secrets.ts';

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

  it.each(['quartz', 'tzar'])('%s is no preference', (name) => {
    expect(cookieSecrets(`${name}=abc123`)).toEqual(['abc123']);
  });

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
    ['abc--123--def', false],
  ])('%s looks random: %s', (value, secret) => {
    expect(cookieSecrets(`x=${value}`)).toEqual(secret ? [value] : []);
  });

  it('reads several, with blanks, quotes and without a value', () => {
    expect(cookieSecrets(' sid = "quoted" ;token=a=b; sid ;=x')).toEqual(['quoted', 'a=b']);
    expect(cookieSecrets('sid=a"b";sid="a"b')).toEqual(['a"b"', '"a"b']);
    expect(cookieSecrets(' tz =abc123;tz =abc123')).toEqual([]);
  });
});

const b64 = (text: string) => Buffer.from(text).toString('base64');

describe('secrets', () => {
  const isCredential = redactionRules('all', {}).isCredential;
  const secrets = (value: string, header = 'authorization') =>
    credentialsIn(new Map([[header, value]]), isCredential).secrets;

  it('are looked for in credentials alone, once each', () => {
    const headers = new Map([
      ['x-a', 'no-secret'],
      ['x-api-key', 'abcdefgh'],
      ['x-auth-token', 'abcdefgh'],
    ]);
    expect(credentialsIn(headers, isCredential).secrets).toEqual(['abcdefgh']);
  });

  it.each<[password: string, secret: boolean]>([
    ['abcdefg', false],
    ['abcdefgh', true],
    ['äbcdefg', false],
    ['äbcdefgh', true],
    ['äöüßéèê', false],
  ])('of eight characters and more: %s: %s', (password, secret) => {
    const pair = Buffer.from(`someone:${password}`);
    const found = [Buffer.from(password).toString('latin1')].filter(() => secret);
    expect(secrets(`Basic ${pair.toString('base64')}`).slice(1)).toEqual(found);
  });

  it.each<[user: string, password: string, secret: string | undefined]>([
    ['abcdefgh', '', 'abcdefgh'],
    ['abcdefgh', 'x-oauth-basic', 'abcdefgh'],
    ['abcdefgh', 'x-oauth-basics', 'x-oauth-basics'],
    ['abcdefghijklmno1', 'X', 'abcdefghijklmno1'],
    ['abcdefghijklmno1', 'xxxxx', 'abcdefghijklmno1'],
    ['abcdefghijklmno1', 'xxxxxx', undefined],
    ['abcdefghijklmno1', 'xxxxxxxx', 'xxxxxxxx'],
    ['abcdefghijklmn1', 'X', undefined],
    ['abcdefghijklmnop', 'X', undefined],
    ['abcdefghijklmno1@b.c', 'X', undefined],
    ['a@abcdefghijklmno1', 'X', undefined],
  ])('of a Basic pair the key: %s:%s', (user, password, secret) => {
    const encoded = b64(`${user}:${password}`);
    expect(secrets(`Basic ${encoded}`)).toEqual(
      secret === undefined ? [encoded] : [encoded, secret],
    );
  });

  it.each<[pair: string, key: string[]]>([
    ['name:abcdefgh', ['abcdefgh']],
    ['name:abcd efgh', []],
    ['a name:abcdefgh', []],
    [':abcdefgh', []],
  ])('of a pair in base64 the key: %s', (pair, key) => {
    expect(secrets(`ApiKey ${b64(pair)}`)).toEqual([b64(pair), ...key]);
  });

  const PUBLIC =
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid client_id clientname created credential date device deviceid domain email expires ext headers id iss keyid key_id kid method nc oauth_callback oauth_signature_method oauth_timestamp oauth_version oauth_consumer_id qop realm scope sig_method signature_method signature_version signedheaders t timestamp ts uri user userhash userid user_id username username* v ver version';
  it('are no public parameters', () => {
    for (const name of PUBLIC.split(' ').filter((each) => !each.endsWith('*'))) {
      expect(secrets(`Scheme ${name}="long-value-1", response="abcdefgh"`), name).toEqual([
        'abcdefgh',
      ]);
      expect(secrets(`Scheme ${name.toUpperCase()}=long-value-1, response=abcdefgh`), name).toEqual(
        ['abcdefgh'],
      );
    }
  });

  it.each<[name: string, value: string, found: string[], header?: string]>([
    [
      'a quoted parameter with escapes',
      'Digest response="abcd\\"efgh"',
      ['abcd\\"efgh', 'abcd"efgh'],
    ],
    ['parameters that are too short', 'Scheme response=abcde', ['response=abcde']],
    ['no secret parameter under a scheme', 'Scheme realm=long-value', []],
    ['no secret parameter without a scheme', 'realm=long-value', ['realm=long-value']],
    ['a value with a name inside', 'Scheme sig=keyId=abcdefgh', ['keyId=abcdefgh', 'abcdefgh']],
    ['the padding of base64', 'Scheme QWxhZGRpbg==', ['QWxhZGRpbg==']],
    ['a token with a colon', 'Token account:abcdefgh', ['account:abcdefgh', 'abcdefgh']],
    ['a scheme in another header', 'Scheme abcdefgh', ['Scheme abcdefgh', 'abcdefgh'], 'x-api-key'],
    ['parameters in another header', 'Scheme a=abcdefgh', ['abcdefgh'], 'x-api-key'],
    [
      'a comma in another header',
      'abcdefgh, Bearer ghijklmn',
      ['abcdefgh, Bearer ghijklmn'],
      'x-api-key',
    ],
    [
      'a list with tabs',
      'Bearer abcdefgh,\tBasic OnNlY3JldC0xMg==',
      ['abcdefgh', 'OnNlY3JldC0xMg==', 'secret-12'],
    ],
    ['a list without a blank', 'Bearer abcdefgh,Token ghijklmn', ['abcdefgh', 'ghijklmn']],
    ['a list with blanks', 'Bearer \t abcdefgh ,  Token  ghijklmn', ['abcdefgh', 'ghijklmn']],
    ['a value with a comma', 'Bearer abcdefgh,ghijklmn', ['abcdefgh,ghijklmn']],
    ['a quoted list', 'Digest response="a, Bearer b", x="cdefghij"', ['a, Bearer b', 'cdefghij']],
    ['short and long parameters', 'Scheme a=abc, b=abcdefgh', ['abcdefgh']],
    ['what begins like no parameter', 'Token +abcdefgh=hijklmno', ['+abcdefgh=hijklmno']],
    ['a token that ends in a scheme', 'abcdefgh-token', ['abcdefgh-token']],
    ['a token that begins with a scheme', 'token-abcdefgh', ['token-abcdefgh']],
    [
      'a pair in base64',
      `ApiKey ${b64('some-id:abcdefgh')}`,
      [b64('some-id:abcdefgh'), 'abcdefgh'],
    ],
    ['a pair in base64 alone', b64('a@b.c:abcdefgh'), [b64('a@b.c:abcdefgh'), 'abcdefgh']],
    ['no pair in base64', `ApiKey ${b64('some id:abcdefgh')}`, [b64('some id:abcdefgh')]],
    ['an empty scheme', 'BASIC', []],
    ['Negotiate alone', 'Negotiate', []],
  ])('%s', (_name, value, found, header) => {
    expect(secrets(value, header)).toEqual(found);
  });

  it('add the decoded value', () => {
    const token = 'abcdefgh%2Fi%c3%A4';
    expect(secrets(`Bearer ${token}`)).toEqual([token, 'abcdefgh/i\xc3\xa4']);
    expect(secrets('sid=abcdefgh%2f', 'cookie')).toEqual(['abcdefgh%2f', 'abcdefgh/']);
    expect(secrets('Bearer abcdefgh%zz')).toEqual(['abcdefgh%zz']);
  });

  it('a quote that does not end holds all that follows', () => {
    expect(secrets('Digest response="abcdefgh, Bearer ghijklmn')).toEqual([
      'abcdefgh, Bearer ghijklmn',
    ]);
  });

  // RFC 9421, section 4.2.
  it.each<[value: string, found: string[]]>([
    ['sig1=:dGhlIHNpZ25hdHVyZQ==:', ['dGhlIHNpZ25hdHVyZQ==']],
    ['sig1=:dGhlIHNpZw+/:, t=:YW5vdGhlciBvbmU=:', ['dGhlIHNpZw+/', 'YW5vdGhlciBvbmU=']],
    ['sig1=:dGhlIHNpZ25hdHVyZQ==:;x', ['dGhlIHNpZ25hdHVyZQ==']],
    ['sig1=:abcdefgh:ghijklmn', [':abcdefgh:ghijklmn']],
    ['sig1=:abcdefgh', [':abcdefgh']],
    ['sig1=:YWJj:', ['sig1=:YWJj:']],
  ])('a signature between colons: %s', (value, found) => {
    expect(secrets(value, 'signature')).toEqual(found);
  });
});
