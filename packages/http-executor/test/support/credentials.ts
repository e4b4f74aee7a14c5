/** A made-up credential of a service, with its secret parts. */
interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts that are redacted when an upstream echoes them. */
  readonly secrets: readonly string[];
  /** Parts of the same header that are not secret and stay unchanged. */
  readonly plain: readonly string[];
}

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpM';

/**
 * Name | headers | secrets | public parts. `b64(…)` stands for its content in base64, and an
 * indented line continues the line before.
 */
const TABLE = `
Bearer | authorization: Bearer mF_9.B5f-4.1JqM | mF_9.B5f-4.1JqM | Bearer , mF_9.B5f-4.1Jq
JWT | authorization: Bearer {jwt} | {jwt} | 1234567890 , HS256 , eyJhbGciOiJIUzI1NiJ9
GitHub | authorization: token gh-16C7e42F292c6912 | gh-16C7e42F292c6912 | octocat , token
no scheme | authorization: lin-api-6hT9wQ2rZx4B | lin-api-6hT9wQ2rZx4B | lin-api
a comma inside | authorization: Bearer abcdefgh,ghijklmn | abcdefgh,ghijklmn | abcdefgh
two credentials | authorization: Bearer abcdefg1, Token ghijklm2 | abcdefg1 , ghijklm2 | Bearer
Firebase | authorization: key=AAAAx9dYbq0:APA91bHun4 | AAAAx9dYbq0:APA91bHun4 | collapse_key
Rails | authorization: Token token="y_NbAkKc66", email="j@a.test" | y_NbAkKc66 | j@a.test
PagerDuty | authorization: Token token=u+NbAkKc66 | u+NbAkKc66 | token=
Negotiate | authorization: Negotiate YIIJvwYGKwYBBQUC | YIIJvwYGKwYBBQUC | Negotiate
credentials beside each other | authorization: Bearer abcdefg1,Token  ghijklm2 | abcdefg1 , ghijklm2 |
Azure with semicolons | x-ms-authorization-auxiliary: Bearer Tn1-8fKq3m; EncryptedBearer Tn3-7dLs2w;Bearer Tn4-6xZa1c |
  Tn1-8fKq3m , Tn3-7dLs2w , Tn4-6xZa1c |
Azure | x-ms-authorization-auxiliary: Bearer Tn1-8fKq3m, Bearer Tn2-5gHj9p | Tn1-8fKq3m ,
  Tn2-5gHj9p |
authentication | authentication: Token Gk4-zWm8 | Gk4-zWm8 | Token
escaped | authorization: Bearer abcdefgh%2Fi%2Bj | abcdefgh%2Fi%2Bj , abcdefgh/i+j | abcdefgh
Basic | authorization: Basic b64(octocat:horse-99) | horse-99 , b64(octocat:horse-99) | octocat ,
  horse
PostgreSQL | authorization: Basic b64(admin:postgres) | postgres | postgres16 , postgres_fdw ,
  POSTGRES
colons | authorization: Basic b64(svc-user:pa:ss:w0rd) | pa:ss:w0rd | svc-user , pa:ss
umlauts | authorization: Basic b64(user:grüße-an-alle) | grüße-an-alle | user
a short password | authorization: Basic b64(some-user:abcdefg) | b64(some-user:abcdefg) | abcdefg
Stripe, a key for a user | authorization: Basic b64(sk-4eC39HqLyj:) | sk-4eC39HqLyj ,
  b64(sk-4eC39HqLyj:) |
GitHub, for a user | authorization: Basic b64(gh-16C7e42F2:x-oauth-basic) | gh-16C7e42F2 |
  x-oauth-basic
Freshdesk, for a user | authorization: Basic b64(b3Kx9QzT7vLm2Rw8:X) | b3Kx9QzT7vLm2Rw8 | X
a user beside a password | authorization: Basic b64(abcdefghijklmno1:xxxxxxxx) | xxxxxxxx |
  abcdefghijklmno1
no colon | authorization: Basic b64(nocolon-4711) | nocolon-4711 | nocolon
no user | authorization: Basic b64(:t0ken-only) | t0ken-only | t0ken
ApiKey | authorization: ApiKey b64(VuaCfGcBCd:ui2lp2axTN) | ui2lp2axTN ,
  b64(VuaCfGcBCd:ui2lp2axTN) | VuaCfGcBCd
AWS 4 | authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7/20130524/us-east-1,
  SignedHeaders=host;range, Signature=f0e8bdb87c964420 ; x-amz-security-token: FwoGZXIvYXdz |
  f0e8bdb87c964420 , FwoGZXIvYXdz | 20130524 , us-east-1 , host;range , AKIAIOSFODNN7 ,
  AWS4-HMAC-SHA256
AWS 2 | authorization: AWS AKIAIOSFODNN7:bWq2s1WEIj+Ydj0v= | bWq2s1WEIj+Ydj0v= | AKIAIOSFODNN7
Azure storage | authorization: SharedKey myaccount:ctzMq410TV3w= | ctzMq410TV3w= | myaccount ,
  SharedKey
Digest | authorization: Digest username="Mufasa-the-lion", realm="http-auth@a.test",
  uri="/dir/index.html", algorithm=SHA-256, nc=00000001, qop=auth-int, response="753927fa0e85d155"
  | 753927fa0e85d155 | Mufasa-the-lion , http-auth@a.test , /dir/index.html , SHA-256 , 00000001 ,
  auth-int
OAuth 1 | authorization: OAuth realm="Photos", oauth_token="nnch734d00",
  oauth_signature_method="HMAC-SHA1", oauth_timestamp="1371312000",
  oauth_signature="MdpQcU8i%2FUDM%3D" | nnch734d00 , MdpQcU8i%2FUDM%3D , MdpQcU8i/UDM= |
  Photos , HMAC-SHA1 , 1371312000 , oauth_token
RFC 9421 | signature: sig1=:dGhlIHNpZ25hdHVyZQ==:, t=:YW5vdGhlciBvbmU=: | dGhlIHNpZ25hdHVyZQ== ,
  YW5vdGhlciBvbmU= | sig1
escaped quotes | authorization: Digest response="abcd\\"efgh" | abcd\\"efgh , abcd"efgh |
a quoted list | authorization: Digest response="a, Bearer b", x="cdefghij" | a, Bearer b , cdefghij |
an open quote | authorization: Digest response="abcdefgh, Bearer gh | abcdefgh, Bearer gh | response
no parameter | authorization: Token +abcdefgh=hijklmno | +abcdefgh=hijklmno | Token
a name inside | authorization: Scheme sig=keyId=abcdefgh | keyId=abcdefgh , abcdefgh | keyId
short parameters | authorization: Scheme response=abcde | response=abcde | abcde
public parameters alone | authorization: Scheme realm=long-value | | long-value , realm=long-value
no credential | authorization: Negotiate | | Negotiate
a token with a colon | authorization: Token account:abcdefgh | account:abcdefgh , abcdefgh | account
parameters elsewhere | x-api-key: Scheme a=abcdefgh | abcdefgh | Scheme
a comma elsewhere | x-api-key: abcdefgh, Bearer ghijklmn | abcdefgh, Bearer ghijklmn |
a key of 16 for a user | authorization: Basic b64(abcdefghijklmno1:xxxxx) | abcdefghijklmno1 | xxxxx
a user of 15 | authorization: Basic b64(abcdefghijklmn1:X) | b64(abcdefghijklmn1:X) | abcdefghijklmn1
a user of letters | authorization: Basic b64(abcdefghijklmnop:X) | | abcdefghijklmnop
an e-mail for a user | authorization: Basic b64(abcdefghijklmno1@b.c:X) | | abcdefghijklmno1@b.c
an e-mail with a long host | authorization: Basic b64(me@abcdefghijklm1.test:X) | |
  me@abcdefghijklm1.test
a password of six | authorization: Basic b64(abcdefghijklmno1:xxxxxx) | | abcdefghijklmno1
no pair | authorization: ApiKey b64(some id:abcdefgh) | b64(some id:abcdefgh) | abcdefgh
an API key | X-API-Key: k-5fJ8wQ2n | k-5fJ8wQ2n | k-5fJ8wQ
a key like a parameter | X-API-Key: id=k5fJ8wQ2n | id=k5fJ8wQ2n | id=k5f
a key like a scheme | X-API-Key: negotiate-4-negotiate | negotiate-4-negotiate | negotiate
a key beside a preference | X-API-Key: k-5fJ8wQ2n ; cookie: tz=Europe/Berlin | k-5fJ8wQ2n |
  b64(tz=Europe/Berlin)
Google | x-goog-api-key: AIzaSyD-9tSrke72 ; x-goog-user-project: my-project-42 | AIzaSyD-9tSrke72
  | my-project-42
Cloudflare | X-Auth-Key: c2547eb74507 ; X-Auth-Email: user@a.test | c2547eb74507 | user@a.test
Vault | X-Vault-Token: hvs.CAESIJ2bq8 ; X-Vault-Namespace: team-a/prod | hvs.CAESIJ2bq8 |
  team-a/prod
Coinbase | CB-ACCESS-SIGN: mC8jN4pQ7rT2= ; CB-ACCESS-PASSPHRASE: blue-whale ; CB-ACCESS-TIMESTAMP:
  1712345678 | mC8jN4pQ7rT2= , blue-whale | 1712345678
a passphrase | X-Key-Passphrase: open sesame 77 | open sesame 77 | open sesame
a client secret | X-Client-Secret: cs-9Zk2Lm4Q ; X-Client-Id: client-4711 | cs-9Zk2Lm4Q |
  client-4711
a short one-time code | X-GitHub-OTP: 490321 | | 490321
keys that are none | Idempotency-Key: order-1001 ; Surrogate-Key: article-42 | | order-1001 ,
  article-42
tokens that page | X-Next-Page-Token: page-0002 ; X-Ms-Continuationtoken: continue-77 | |
  page-0002 , continue-77
Stripe hook | Stripe-Signature: t=1492774577,v1=5257a869e7ecebed | 5257a869e7ecebed | 1492774577
a short signature | x-signature: t=1492774577,v1=9aF3-kQ2x | 9aF3-kQ2x | 1492774577 , 9aF3-kQ2xQ
preferences | Cookie: tz=Europe/Berlin; lang=english; theme=solarized; consent=accepted | |
  Europe/Berlin , english , solarized , accepted
PHP | Cookie: tz=Europe/Berlin; PHPSESSID=298zf09hf012 | 298zf09hf012 | Europe/Berlin , PHPSESSID
Express | Cookie: connect.sid=s%3AfW1h-xK2.QTb%2Bm8w | s%3AfW1h-xK2.QTb%2Bm8w , s:fW1h-xK2.QTb+m8w
  |
remember me | Cookie: remember_web_59ba36addc2b=MTIzNHxrM3k- | MTIzNHxrM3k- | 59ba36addc2b
quoted | Cookie: tz=Europe/Berlin; sid="quoted-s1d" | quoted-s1d | Europe/Berlin
spaces in cookies | Cookie: theme=a; tz=abc12345; sid = spaced-s1d ;a=1 | spaced-s1d | abc12345
quotes inside | Cookie: sid=ab"cdefgh"; token="abcd"efgh | ab"cdefgh" , "abcd"efgh |
a cookie elsewhere | x-session-cookie: sid=Kx82-hqPz0 | Kx82-hqPz0 | sid=Kx
`;

const list = (cell = '') => cell.split(' , ').filter((each) => each !== '');

function readRow(line: string): Credential {
  const written = line
    .replaceAll('{jwt}', JWT)
    .replaceAll(/b64\(([^()]*)\)/g, (_, text) => Buffer.from(text).toString('base64'));
  const [name = '', headers = '', secrets, plain] = written.split('|').map((cell) => cell.trim());
  const fields = headers.split(/ ;(?: |$)/).filter(Boolean);
  return {
    name,
    headers: Object.fromEntries(fields.map((field) => field.split(/: (.*)/).slice(0, 2))),
    secrets: list(secrets),
    plain: list(plain),
  };
}

export const CREDENTIALS: readonly Credential[] = TABLE.trim()
  .replaceAll('\n  ', ' ')
  .split('\n')
  .map(readRow);
