import { GITHUB_REPOSITORY } from './github-repository.ts';
import { ELASTICSEARCH_ROOT } from './real-documents.ts';

/**
 * "False redaction destroys data": answers that hold much like the credential, and none
 * of its secrets.
 */
export interface DamageCase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The answer, which has to arrive whole. */
  readonly text: string;
  /** What has to be scrubbed when it is planted in there. */
  readonly secrets: readonly string[];
}

const basic = (user: string, password: string) => ({
  authorization: `Basic ${btoa(`${user}:${password}`)}`,
});
const segment = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');

const POSTGRES = JSON.stringify({
  version: 'PostgreSQL 16.2 on x86_64-pc-linux-gnu',
  dsn: 'postgresql://db.internal:5432/app',
  roles: ['postgres_exporter', 'pg_monitor', 'postgresadmin'],
  extensions: { postgres_fdw: '1.1', plpgsql: '1.0' },
  image: 'docker.io/bitnami/postgresql:16',
});

const JIRA = JSON.stringify({
  total: 50,
  values: Array.from({ length: 50 }, (_, n) => ({
    accountId: `5b10a2844c20165700ede2${n}g`,
    emailAddress: 'jane.doe@example.com',
    displayName: `Jane Doe ${n}`,
    self: `https://example.atlassian.net/rest/api/3/user?query=jane.doe%40example.com&n=${n}`,
    avatar: `https://avatar.example.com/jane.doe@example.com/${n}.png`,
  })),
});

const ORDER = JSON.stringify({
  id: 'order-1001',
  links: {
    self: '/orders/order-1001',
    items: '/orders/order-1001/items',
    next: '/orders/order-1002',
  },
  history: ['order-1001 created', 'order-1001 paid'],
  'order-1001': true,
});

const PROFILE = JSON.stringify({
  tz: 'Europe/Berlin',
  zones: ['Europe/Berlin', 'Europe/Paris', 'CET (Europe/Berlin)'],
  lang: 'english',
  languages: { english: 'English', german: 'Deutsch' },
  text: 'english text for Europe/Berlin, theme solarized, in dollars',
});

const METRICS = JSON.stringify({
  count: 1234560,
  at: 1712345678,
  ids: [1712345678, 9123456, 12345678901234],
  hex: '0x123456789',
  versions: ['1.1234567.0', 'v1234567', 'build_123456'],
});

const DIGEST =
  'Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256, nc=00000001, ' +
  'qop=auth-int, response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"';

const DIGEST_ECHO = JSON.stringify({
  user: 'Mufasa',
  realm: 'http-auth@example.org',
  path: '/dir/index.html',
  links: ['http://www.example.org/dir/index.html', '/dir/index.html?page=2'],
  algorithm: 'SHA-256',
  row: '00000001',
  protection: 'auth-int',
});

const TWILIO_SID = 'AC5ef8732a3c49700934481addd5ce1659';
const TWILIO = JSON.stringify({
  account_sid: TWILIO_SID,
  uri: `/2010-04-01/Accounts/${TWILIO_SID}/Messages/SM1.json`,
  subresource_uris: { media: `/2010-04-01/Accounts/${TWILIO_SID}/Messages/SM1/Media.json` },
  error_code: null,
});

const JWT_HEAD = segment({ alg: 'RS256', typ: 'JWT', kid: 'key-2024' });
const jwt = (n: number, signature: string) =>
  `${JWT_HEAD}.${segment({ sub: 'jane', iat: 1_712_345_678 + n })}.${signature}`;
const JWT = jwt(0, 'cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7');
const REFRESHED = JSON.stringify({
  access_token: jwt(1, 'NHVaYe26MbtOYhSKkoKYdFVomg4i8ZJd8_-RU8VNbftc4TSMb4bXP3l3YlNWACwy'),
  id_token: jwt(2, 'POstGetfAytaZS82wHcjoTyoqhMyxXiWdR7Nn7A29DNSl0EiXLdwJ6xC6AfgZWF1'),
  token_type: 'Bearer',
  expires_in: 3600,
  claims: { sub: 'jane', iat: 1_712_345_678, kid: 'key-2024' },
});

const AWS =
  'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
  'SignedHeaders=host;range;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
const AWS_ECHO = JSON.stringify({
  Code: 'SignatureDoesNotMatch',
  AWSAccessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  StringToSign:
    'AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n7344ae5b7ee6c3e7e6b0fe',
  CanonicalRequest:
    'GET\n/test.txt\n\nhost:examplebucket.s3.amazonaws.com\n\nhost;range;x-amz-date',
  Region: 'us-east-1',
});

const CASE_TWINS =
  '{"abcdefg":1,"ABCDEF":2,"Abcdef":3,"x_abcdef":4,"list":["ABCDEF","abcdefgh","1abcdef"]}';

export const DAMAGE_CASES: readonly DamageCase[] = (
  [
    [
      'Basic octocat on a GitHub repository',
      basic('octocat', 'correct-horse-9'),
      GITHUB_REPOSITORY,
      ['correct-horse-9'],
    ],
    [
      'a GitHub token on a GitHub repository',
      { authorization: 'token octocat-token-77aZ' },
      GITHUB_REPOSITORY,
      ['octocat-token-77aZ'],
    ],
    ['Basic elastic:changeme', basic('elastic', 'changeme'), ELASTICSEARCH_ROOT, ['changeme']],
    ['Basic elastic:elastic', basic('elastic', 'elastic'), ELASTICSEARCH_ROOT, ['elastic']],
    ['Basic postgres:hunter2!', basic('postgres', 'hunter2!'), POSTGRES, ['hunter2!']],
    ['Basic postgres:postgres', basic('postgres', 'postgres'), POSTGRES, ['postgres']],
    [
      'Basic with an e-mail for a user',
      basic('jane.doe@example.com', 'ATATT3xFfGF0'),
      JIRA,
      ['ATATT3xFfGF0'],
    ],
    ['an idempotency key', { 'Idempotency-Key': 'order-1001' }, ORDER, []],
    [
      'preferences in cookies',
      { Cookie: 'tz=Europe/Berlin; lang=english; sid=Kx82hhqPz0' },
      PROFILE,
      ['Kx82hhqPz0'],
    ],
    ['an API key of digits', { 'X-API-Key': '123456' }, METRICS, ['123456']],
    [
      'Digest',
      { authorization: DIGEST },
      DIGEST_ECHO,
      ['753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
    ],
    ['the key abcdef', { 'X-API-Key': 'abcdef' }, CASE_TWINS, ['abcdef']],
    [
      'Twilio',
      basic(TWILIO_SID, '9f1c2a7be04d4c5d8e3fa6b7c8d90e1f'),
      TWILIO,
      ['9f1c2a7be04d4c5d8e3fa6b7c8d90e1f'],
    ],
    ['a JWT that is refreshed', { authorization: `Bearer ${JWT}` }, REFRESHED, [JWT]],
    [
      'AWS, signature 4',
      { authorization: AWS },
      AWS_ECHO,
      ['f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'],
    ],
  ] as [string, Record<string, string>, string, string[]][]
).map(([name, headers, text, secrets]) => ({ name, headers, text, secrets }));
