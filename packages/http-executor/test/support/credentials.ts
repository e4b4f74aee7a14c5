/** A made-up credential of a service, with its secret parts. */
export interface Credential {
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
Discord | authorization: Bot MTk4NjIy.Cl2FMQ.ZnCjm1XVW | MTk4NjIy.Cl2FMQ.ZnCjm1XVW | 198622483
no scheme | authorization: lin-api-6hT9wQ2rZx4B | lin-api-6hT9wQ2rZx4B | lin-api
an unknown scheme | authorization: Scheme QWxhZGRpbg== | QWxhZGRpbg== | Scheme
a comma inside | authorization: Bearer abcdefgh,ghijklmn | abcdefgh,ghijklmn | abcdefgh
two credentials | authorization: Bearer abcdefg1, Token ghijklm2 | abcdefg1 , ghijklm2 | Bearer
Firebase | authorization: key=AAAAx9dYbq0:APA91bHun4 | AAAAx9dYbq0:APA91bHun4 | collapse_key
GoogleLogin | authorization: GoogleLogin auth=DQAAAGgA-7Zg8 | DQAAAGgA-7Zg8 | GoogleLogin
Rails | authorization: Token token="y_NbAkKc66", email="j@a.test" | y_NbAkKc66 | j@a.test
PagerDuty | authorization: Token token=u+NbAkKc66 | u+NbAkKc66 | token=
Negotiate | authorization: Negotiate YIIJvwYGKwYBBQUC | YIIJvwYGKwYBBQUC | Negotiate
x-authorization | x-authorization: Bearer Jw8zT3qK5mV1 | Jw8zT3qK5mV1 | Bearer
Cloud Run | X-Serverless-Authorization: Bearer {jwt} | {jwt} |
credentials beside each other | authorization: Bearer abcdefg1,Token  ghijklm2 | abcdefg1 , ghijklm2 |
two spaces | authorization: Bearer  abcdefgh | abcdefgh |
Azure | x-ms-authorization-auxiliary: Bearer Tn1-8fKq3m, Bearer Tn2-5gHj9p | Tn1-8fKq3m ,
  Tn2-5gHj9p |
authentication | authentication: Token Gk4-zWm8 | Gk4-zWm8 | Token
DPoP | authorization: DPoP Kz-WYxdn8GQ7 ; dpop: {jwt} | Kz-WYxdn8GQ7 , {jwt} |
escaped | authorization: Bearer abcdefgh%2Fi%2Bj | abcdefgh%2Fi%2Bj , abcdefgh/i+j | abcdefgh
Basic | authorization: Basic b64(octocat:horse-99) | horse-99 , b64(octocat:horse-99) | octocat ,
  horse
an e-mail | authorization: Basic b64(jane@a.test:Tr0ub4d&3) | Tr0ub4d&3 | jane , a.test , Tr0ub4d
Elastic | authorization: Basic b64(elastic:changeme) | changeme | elasticsearch , changemes ,
  Changeme
PostgreSQL | authorization: Basic b64(admin:postgres) | postgres | postgres16 , postgres_fdw ,
  POSTGRES
Twilio | authorization: Basic b64(AC5ef8732a3c:9f1c2a7be04d) | 9f1c2a7be04d |
  /Accounts/AC5ef8732a3c/
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
an account of a signed scheme | authorization: HMAC account:abcdefgh | abcdefgh | account
Digest | authorization: Digest username="Mufasa-the-lion", realm="http-auth@a.test",
  uri="/dir/index.html", algorithm=SHA-256, nc=00000001, qop=auth-int, response="753927fa0e85d155"
  | 753927fa0e85d155 | Mufasa-the-lion , http-auth@a.test , /dir/index.html , SHA-256 , 00000001 ,
  auth-int
OAuth 1 | authorization: OAuth realm="Photos", oauth_token="nnch734d00",
  oauth_signature_method="HMAC-SHA1", oauth_timestamp="1371312000",
  oauth_signature="MdpQcU8i%2FUDM%3D" | nnch734d00 , MdpQcU8i%2FUDM%3D , MdpQcU8i/UDM= |
  Photos , HMAC-SHA1 , 1371312000 , oauth_token
Hawk | authorization: Hawk id="dh37fgj492je", ts="1353832234", nonce="j4h3g2",
  mac="6R4rV5iE+NPoym=" | 6R4rV5iE+NPoym= | dh37fgj492je , 1353832234
HTTP signatures | authorization: Signature keyId="main-key-1", algorithm="rsa-sha256",
  headers="(request-target) host", signature="qdx+H7PHHDZg" | qdx+H7PHHDZg |
  main-key-1 , rsa-sha256 , (request-target) host
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
Anthropic | x-api-key: sk-ant-api03-R2D2 ; anthropic-version: 2023-06-01 | sk-ant-api03-R2D2 |
  2023-06-01
Azure OpenAI | api-key: 0f1e2d3c4b5a6978 | 0f1e2d3c4b5a6978 |
Azure management | Ocp-Apim-Subscription-Key: 8d7c6b5a4938 | 8d7c6b5a4938 |
Google | x-goog-api-key: AIzaSyD-9tSrke72 ; x-goog-user-project: my-project-42 | AIzaSyD-9tSrke72
  | my-project-42
Datadog | DD-API-KEY: 9775a026f1ca ; DD-APPLICATION-KEY: 87ce4a24b555 | 9775a026f1ca ,
  87ce4a24b555 |
Cloudflare | X-Auth-Key: c2547eb74507 ; X-Auth-Email: user@a.test | c2547eb74507 | user@a.test
Vault | X-Vault-Token: hvs.CAESIJ2bq8 ; X-Vault-Namespace: team-a/prod | hvs.CAESIJ2bq8 |
  team-a/prod
Kraken | API-Key: zT4-Kp9wQm2x ; API-Sign: 4/dpxb3iT4tp/ZC | zT4-Kp9wQm2x , 4/dpxb3iT4tp/ZC |
Coinbase | CB-ACCESS-SIGN: mC8jN4pQ7rT2= ; CB-ACCESS-PASSPHRASE: blue-whale ; CB-ACCESS-TIMESTAMP:
  1712345678 | mC8jN4pQ7rT2= , blue-whale | 1712345678
a passphrase | X-Key-Passphrase: open sesame 77 | open sesame 77 | open sesame
a password | X-Password: hunter2! ; X-Username: hunter-man | hunter2! | hunter-man
a client secret | X-Client-Secret: cs-9Zk2Lm4Q ; X-Client-Id: client-4711 | cs-9Zk2Lm4Q |
  client-4711
tokens | X-Access-Token: at-8fK2mQ ; X-Refresh-Token: rt-5gL9pW | at-8fK2mQ , rt-5gL9pW |
CSRF | X-CSRF-Token: i8XNjC4b8KVo ; X-XSRF-TOKEN: xsrf-77aZ | i8XNjC4b8KVo , xsrf-77aZ |
a short one-time code | X-GitHub-OTP: 490321 | | 490321
a short passcode | X-Passcode: Q7-x9Z | | Q7-x9Z
keys that are none | Idempotency-Key: order-1001 ; Surrogate-Key: article-42 | | order-1001 ,
  article-42
tokens that page | X-Next-Page-Token: page-0002 ; X-Ms-Continuationtoken: continue-77 | |
  page-0002 , continue-77
Stripe hook | Stripe-Signature: t=1492774577,v1=5257a869e7ecebed | 5257a869e7ecebed | 1492774577
a short signature | x-signature: t=1492774577,v1=9aF3-kQ2x | 9aF3-kQ2x | 1492774577 , 9aF3-kQ2xQ
GitHub hook | X-Hub-Signature-256: sha256=757107ea0eb2509f | 757107ea0eb2509f | sha256
preferences | Cookie: tz=Europe/Berlin; lang=english; theme=solarized; consent=accepted | |
  Europe/Berlin , english , solarized , accepted
more preferences | cookie: timezone=America/New_York; language=deutsch; country=Germany | |
  America/New_York , deutsch , Germany
PHP | Cookie: tz=Europe/Berlin; PHPSESSID=298zf09hf012 | 298zf09hf012 | Europe/Berlin , PHPSESSID
Java | Cookie: JSESSIONID=0A1B2C3D4E5F6071.node1 | 0A1B2C3D4E5F6071.node1 | JSESSIONID
Express | Cookie: connect.sid=s%3AfW1h-xK2.QTb%2Bm8w | s%3AfW1h-xK2.QTb%2Bm8w , s:fW1h-xK2.QTb+m8w
  |
Next | Cookie: lang=english; __Secure-next-auth.session-token=eyJhbGciOiJkaXIi | eyJhbGciOiJkaXIi
  | english
Rails cookie | Cookie: _app_session=BAh7B0kiD3Nlc3Npb ; | BAh7B0kiD3Nlc3Npb | _app_session
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
