import { describe, expect, it } from 'vitest';
import { headerRules } from '../../src/secrets/header-names.ts';
import { redactText } from '../../src/secrets/redact-violations.ts';
import {
  joinSecrets,
  NO_SECRETS,
  type Secrets,
  secretsOfCredential,
  secretsOfHeaders,
} from '../../src/secrets/secrets.ts';

const latin1 = (text: string) => Buffer.from(text).toString('latin1');
const encode = (text: string) => Buffer.from(text).toString('base64');
const basic = (login: string) => ({ authorization: `Basic ${encode(login)}` });
const { isCredential } = headerRules();
const ofCaller = (headers: Record<string, string>) =>
  secretsOfHeaders(new Map(Object.entries(headers)), isCredential);

const isHidden = async (text: string, secrets: Secrets) =>
  !(await redactText(`got ${text}.`, secrets)).includes(text);

async function expectHidden(secrets: Secrets, hidden: string[], shown: string[]) {
  for (const text of hidden) expect([text, await isHidden(text, secrets)]).toEqual([text, true]);
  for (const text of shown) expect([text, await isHidden(text, secrets)]).toEqual([text, false]);
}

interface Row {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly hidden: string[];
  readonly shown: string[];
}

const DIGEST = 'username="Mufasa", realm="a@b.test", response="753927fa"';

// docs/executor-security.md, "Echoed secrets".
const OF_CALLER: readonly Row[] = [
  {
    name: 'everything after the scheme',
    headers: { authorization: 'Bearer mF_9.B5f-4.1JqM' },
    hidden: ['mF_9.B5f-4.1JqM', encode('mF_9.B5f-4.1JqM'), encode('Bearer mF_9.B5f-4.1JqM')],
    shown: ['Bearer', 'mF_9.B5f-4.1Jq', 'MF_9.B5F-4.1JQM', encode('mF_9.B5f')],
  },
  {
    name: 'a scheme that several blanks follow',
    headers: { authorization: 'token \t gh-16C7e42F' },
    hidden: ['gh-16C7e42F'],
    shown: ['token'],
  },
  {
    name: 'a credential without a scheme',
    headers: { authorization: 'lin-api-6hT9wQ' },
    hidden: ['lin-api-6hT9wQ'],
    shown: ['lin-api'],
  },
  {
    name: 'a credential that begins with a quote, which no scheme does',
    headers: { authorization: '"a b" cdefghijk' },
    hidden: ['"a b" cdefghijk'],
    shown: ['b" cdefghijk'],
  },
  {
    name: 'parameters as one secret',
    headers: { authorization: `Digest ${DIGEST}` },
    hidden: [DIGEST, encode(DIGEST)],
    shown: ['753927fa', 'a@b.test'],
  },
  {
    name: 'a Basic login and its password',
    headers: basic('octocat:horse>99?'),
    hidden: [
      'horse>99?',
      encode('octocat:horse>99?'),
      Buffer.from('octocat:horse>99?').toString('base64url'),
      encode(`Basic ${encode('octocat:horse>99?')}`),
    ],
    shown: ['octocat', 'horse>99'],
  },
  {
    name: 'a Basic login without its padding',
    headers: basic('octocat:horse-4711'),
    hidden: [encode('octocat:horse-4711').replace('=', '')],
    shown: ['octocat:horse'],
  },
  {
    name: 'the scheme in any case',
    headers: { authorization: `bASIC ${encode('user:password-1')}` },
    hidden: ['password-1'],
    shown: [],
  },
  {
    name: 'a password with colons and a line end',
    headers: basic('svc-user:pa:ss:\nw0rd'),
    hidden: ['pa:ss:\nw0rd'],
    shown: ['svc-user'],
  },
  {
    name: 'a password that is too short',
    headers: basic('some-user:abcdefg'),
    hidden: [encode('some-user:abcdefg')],
    shown: ['abcdefg', 'some-user', encode('abcdefg')],
  },
  {
    name: 'a key in place of the user name',
    headers: basic('sk-4eC39HqLyj:'),
    hidden: ['sk-4eC39HqLyj'],
    shown: [],
  },
  {
    name: 'a login without a colon',
    headers: basic('nocolon-4711'),
    hidden: ['nocolon-4711'],
    shown: [],
  },
  {
    name: 'the whole value of another header',
    headers: { 'x-api-key': 'Bearer abcdefgh' },
    hidden: ['Bearer abcdefgh', 'Bearer+abcdefgh', encode('Bearer abcdefgh')],
    shown: ['abcdefgh'],
  },
  {
    name: 'a secret as in a form or a JSON Pointer',
    headers: { 'x-api-key': 'open ~sesame/77' },
    hidden: ['open+~sesame/77', 'open ~0sesame~177'],
    shown: ['open-~sesame/77'],
  },
  {
    name: 'cookies as one value',
    headers: { cookie: 'theme=dark; sid=Kx82-hqPz0' },
    hidden: ['theme=dark; sid=Kx82-hqPz0'],
    shown: ['Kx82-hqPz0', 'theme=dark'],
  },
  {
    name: 'base64url',
    headers: { 'x-api-key': '>>>???>>>???a' },
    hidden: ['Pj4-Pz8_Pj4-Pz8_YQ', 'Pj4+Pz8/Pj4+Pz8/YQ', 'Pj4+Pz8/Pj4+Pz8/YQ=='],
    shown: ['Pj4+Pz8_Pj4-Pz8_YQ'],
  },
  {
    name: 'a secret with percent escapes',
    headers: { 'x-api-key': 's%3AfW1h%2fxK2' },
    hidden: ['s%3AfW1h%2fxK2', 's:fW1h/xK2'],
    shown: [],
  },
  {
    name: 'no decoded form that is short',
    headers: { 'x-api-key': '%41%42%43' },
    hidden: ['%41%42%43'],
    shown: ['ABC'],
  },
  {
    name: 'no header with another name',
    headers: { 'x-note': 'plain-value', accept: 'application/json' },
    hidden: [],
    shown: ['plain-value', 'application/json', encode('plain-value')],
  },
  {
    name: 'secrets of eight characters or more',
    headers: { 'x-api-key': 'abcdefgh', 'x-auth-token': '1234567' },
    hidden: ['abcdefgh', 'xabcdefghy'],
    shown: ['1234567', encode('1234567')],
  },
  {
    name: 'whole credentials only around a secret',
    headers: { authorization: 'Bearer 1234567', 'x-api-key': 'abcdefgh' },
    hidden: ['abcdefgh'],
    shown: ['1234567', 'Bearer 1234567', encode('Bearer 1234567')],
  },
  {
    name: 'characters beyond ASCII',
    headers: basic('u:grüße-an'),
    hidden: ['grüße-an', latin1('grüße-an'), encode('grüße-an'), encode('u:grüße-an')],
    shown: ['große-an'],
  },
  {
    name: 'characters beyond Latin-1',
    headers: basic('u:€uro-key'),
    hidden: ['€uro-key', latin1('€uro-key')],
    shown: ['uro-key'],
  },
  {
    name: 'characters and not bytes',
    headers: basic('u:ääääääö'),
    hidden: [encode('u:ääääääö')],
    shown: ['ääääääö'],
  },
];

describe('secrets of the caller are', () => {
  it.each(OF_CALLER)('$name', ({ headers, hidden, shown }) =>
    expectHidden(ofCaller(headers), hidden, shown),
  );

  it('found in other charsets', async () => {
    const bytes = Buffer.from('u:grüße-an', 'latin1').toString('base64');
    for (const secrets of [
      ofCaller(basic('u:grüße-an')),
      ofCaller({ authorization: `Basic ${bytes}` }),
    ])
      expect(secrets.spellings).toContainEqual(Buffer.from('grüße-an', 'latin1'));
    const { spellings } = ofCaller(basic('u:€uro-key'));
    expect(spellings).not.toContainEqual(Buffer.from('€uro-key', 'latin1'));
  });

  it('counted', () => {
    const count = (headers: Record<string, string>) => ofCaller(headers).count;
    expect(count({})).toBe(0);
    expect(count({ authorization: 'Bearer 1234567' })).toBe(0);
    expect(count({ authorization: 'Bearer 12345678' })).toBe(1);
    expect(count(basic('user:password'))).toBe(2);
    expect(count({ 'x-api-key': 'abcdefgh', 'x-auth-token': 'abcdefgh' })).toBe(1);
    expect(count({ 'x-api-key': 'abcdefgh', 'x-auth-token': 'abcdefgi' })).toBe(2);
  });

  it('measured by their longest spelling if every byte is escaped', () => {
    expect(ofCaller({}).longest).toBe(0);
    expect(ofCaller({ 'x-api-key': 'abcdefghi' }).longest).toBe(6 * encode('abcdefghi').length);
  });

  it('spelled once', () => {
    expect(ofCaller({ authorization: 'Bearer abcdefgh' }).spellings.map(String)).toEqual([
      'abcdefgh',
      'YWJjZGVmZ2g',
      encode('Bearer abcdefgh'),
    ]);
  });
});

interface CredentialRow {
  readonly name: string;
  readonly header: Parameters<typeof secretsOfCredential>[0];
  readonly hidden: string[];
  readonly shown: string[];
}

const credential = (name: string, value: string, secret = value) => ({ name, value, secret });

const OF_EXECUTOR: readonly CredentialRow[] = [
  {
    name: 'a bearer token',
    header: credential('authorization', 'Bearer t0ken-of-the-file', 't0ken-of-the-file'),
    hidden: ['t0ken-of-the-file', encode('Bearer t0ken-of-the-file')],
    shown: ['t0ken-of-the-fil', 'Bearer'],
  },
  {
    name: 'a token file that begins with the scheme',
    header: credential('authorization', 'Bearer Bearer t0ken-of-file', 'Bearer t0ken-of-file'),
    hidden: ['t0ken-of-file', 'Bearer t0ken-of-file'],
    shown: ['Bearer'],
  },
  {
    name: 'a login',
    header: credential('authorization', `Basic ${encode('svc:p>ssw?rd')}`, 'p>ssw?rd'),
    hidden: ['p>ssw?rd', encode('svc:p>ssw?rd'), Buffer.from('svc:p>ssw?rd').toString('base64url')],
    shown: ['svc'],
  },
  {
    name: 'a login in another header',
    header: credential('x-authorization', `Basic ${encode('svc:password')}`),
    hidden: ['password', encode('svc:password')],
    shown: ['svc'],
  },
  {
    name: 'a header of any name',
    header: credential('x-note', 'abcdefgh'),
    hidden: ['abcdefgh', encode('abcdefgh')],
    shown: [],
  },
  {
    name: 'the secret that a header was built from',
    header: credential('x-note', 'open sesame 77', ' open sesame 77 '),
    hidden: ['open sesame 77'],
    shown: [],
  },
  {
    name: 'each cookie, as in the header and as parsed',
    header: credential('cookie', 'view=solarized; sid="abc-defgh" ;t=s%3Aabcd/ef; n=short'),
    hidden: ['solarized', 'abc-defgh', 's%3Aabcd/ef', 's:abcd/ef'],
    shown: ['view', 'short', 's%3Aabcd'],
  },
  {
    name: 'a cookie with its quotes, unless they enclose it',
    header: credential('cookie', 'a=bc"defghijk"; b="bcdefghi"j'),
    hidden: ['bc"defghijk"', '"bcdefghi"j'],
    shown: ['defghijk', 'bcdefghi'],
  },
  {
    name: 'no parts of another header',
    header: credential('x-cookie-like', 'view=solarized; sid=abc-defgh'),
    hidden: ['view=solarized; sid=abc-defgh'],
    shown: ['solarized', 'abc-defgh'],
  },
];

describe('secrets of the executor are', () => {
  it.each(OF_EXECUTOR)('$name', ({ header, hidden, shown }) =>
    expectHidden(secretsOfCredential(header), hidden, shown),
  );
});

it('joins secrets', async () => {
  const [one, other] = [ofCaller({ 'x-api-key': 'abcdefgh' }), ofCaller(basic('user:password'))];
  const joined = joinSecrets(one, other);
  await expectHidden(joined, ['abcdefgh', 'password'], ['user']);
  expect(joined.count).toBe(3);
  expect(joined.longest).toBe(other.longest);
  expect(joinSecrets(other, one).longest).toBe(other.longest);
  expect(joinSecrets(NO_SECRETS, one)).toEqual(one);
});
