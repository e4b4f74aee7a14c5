/**
 * Credentials as the services of this world take them, and what of them is secret. None
 * is real.
 */
export interface ServiceCredential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whatever of it an upstream echoes, in these spellings, is scrubbed. */
  readonly secrets: readonly string[];
  /**
   * What the same header says and is no secret, or only resembles one: stays as it is.
   */
  readonly plain: readonly string[];
}

type Row = [name: string, headers: Record<string, string>, secrets: string[], plain: string[]];

const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const authorization = (value: string) => ({ authorization: value });
/** Put together here, so that no scanner takes it for a real one. */
const prefixed = (...parts: string[]) => parts.join('_');

/** Basic credentials and what they are in base64, which holds the password. */
const basic = (name: string, user: string, password: string, plain: string[]): Row => {
  const encoded = base64(`${user}:${password}`);
  return [name, authorization(`Basic ${encoded}`), [password, encoded], [user, ...plain]];
};

const STRIPE_KEY = prefixed('sk', 'test', '4eC39HqLyjWDarjtT1zdp7dc');
const GITHUB_TOKEN = prefixed('ghp', '16C7e42F292c6912E7710c838347Ae178B4a');
const INSTALLATION = prefixed('ghs', '8xK2mPq7vW4nR9tY3uJ6hG5fD1sA0zLcQ');

const jwt = (subject: string, signature: string) =>
  [
    base64url({ alg: 'HS256', typ: 'JWT' }),
    base64url({ sub: subject, iat: 1_516_239_022 }),
    signature,
  ].join('.');
const JWT = jwt('1234567890', 'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c');
const REFRESHED = jwt('9876543210', 'Xq0Pz8mYt4rVbN2kLs6hWd1gJf9cAe3uToIyRwMxKvE');

const TOKENS: Row[] = [
  [
    'Bearer',
    authorization('Bearer mF_9.B5f-4.1JqM'),
    ['mF_9.B5f-4.1JqM'],
    ['Bearer', 'mF_9.B5f-4.1Jq', 'F_9.B5f-4.1JqM'],
  ],
  [
    'Bearer, a JWT',
    authorization(`Bearer ${JWT}`),
    [JWT],
    [REFRESHED, JWT.split('.')[0] ?? '', '1234567890', 'HS256'],
  ],
  ['GitHub', authorization(`token ${GITHUB_TOKEN}`), [GITHUB_TOKEN], ['octocat', 'ghp_', 'token']],
  [
    'a bot of Discord',
    authorization('Bot MTk4NjIy.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs'),
    ['MTk4NjIy.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs'],
    ['198622483471925248'],
  ],
  ['no scheme', authorization('lin-api-6hT9wQ2rZx4B'), ['lin-api-6hT9wQ2rZx4B'], ['lin-api']],
  [
    'Elasticsearch',
    authorization('ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw=='),
    ['VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw=='],
    ['ApiKey', 'elasticsearch'],
  ],
  [
    'Firebase',
    authorization('key=AAAAx9dYbq0:APA91bHun4MxP5egoKMwt2KZF'),
    ['AAAAx9dYbq0:APA91bHun4MxP5egoKMwt2KZF'],
    ['key=', 'collapse_key'],
  ],
  [
    'GoogleLogin',
    authorization('GoogleLogin auth=DQAAAGgA-7Zg8CTNk3'),
    ['DQAAAGgA-7Zg8CTNk3'],
    ['GoogleLogin'],
  ],
  [
    'Rails',
    authorization('Token token="y_NbAkKc66ryYTWUXYEu", email="jane@example.com"'),
    ['y_NbAkKc66ryYTWUXYEu'],
    ['jane@example.com'],
  ],
  [
    'PagerDuty',
    authorization('Token token=u+NbAkKc66ryYTWUXYEv'),
    ['u+NbAkKc66ryYTWUXYEv'],
    ['token='],
  ],
  [
    'Negotiate',
    authorization('Negotiate YIIJvwYGKwYBBQUCoIIJszCCCa+gMDAu'),
    ['YIIJvwYGKwYBBQUCoIIJszCCCa+gMDAu'],
    ['Negotiate'],
  ],
  ['x-authorization', { 'x-authorization': 'Bearer Jw8zT3qK5mV1' }, ['Jw8zT3qK5mV1'], ['Bearer']],
  ['Cloud Run', { 'X-Serverless-Authorization': `Bearer ${JWT}` }, [JWT], [REFRESHED]],
  [
    'Azure, two tenants',
    { 'x-ms-authorization-auxiliary': 'Bearer Tn1-8fKq3mZx7Lw2, Bearer Tn2-5gHj9pYv4Rb6' },
    ['Tn1-8fKq3mZx7Lw2', 'Tn2-5gHj9pYv4Rb6'],
    [],
  ],
  ['authentication', { authentication: 'Token Gk4-zWm8' }, ['Gk4-zWm8'], []],
  [
    'DPoP',
    { authorization: 'DPoP Kz-WYxdn8GQ7vTqLm2', dpop: JWT },
    ['Kz-WYxdn8GQ7vTqLm2', JWT],
    [REFRESHED],
  ],
];

const BASIC: Row[] = [
  basic('Basic of GitHub', 'octocat', 'correct-horse-9', [
    'octocat/Hello-World',
    'correct-horse-99',
    'correct',
  ]),
  basic('Basic with an e-mail', 'jane.doe@example.com', 'Tr0ub4dor&3', ['jane.doe', 'example.com']),
  basic('Basic of Elasticsearch', 'elastic', 'changeme', [
    'elasticsearch',
    'changemeplease',
    'changeme_1',
    'Changeme',
  ]),
  basic('Basic of PostgreSQL', 'admin', 'postgres', [
    'postgresql',
    'postgres16',
    'postgres_fdw',
    'POSTGRES',
  ]),
  basic(
    'Basic of Twilio',
    'AC5ef8732a3c49700934481addd5ce1659',
    '9f1c2a7be04d4c5d8e3fa6b7c8d90e1f',
    ['/2010-04-01/Accounts/AC5ef8732a3c49700934481addd5ce1659/Messages.json'],
  ),
  basic('Basic of a GitHub app', 'x-access-token', INSTALLATION, []),
  basic('Basic of Mailgun', 'apiuser', 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0', [
    'key-3ax6xnjp29jd6fds4gc373sg',
  ]),
  basic(
    'Basic of Zendesk',
    'jane@example.com/token',
    '6wiIBWbGkBMo1mRDMuVwkw1EPsNkeUj95PIz2akv',
    [],
  ),
  basic('Basic with a colon in the password', 'svc-user', 'pa:ss:w0rd', ['pa:ss']),
  [
    'Basic of Stripe, a key for a user',
    authorization(`Basic ${base64(`${STRIPE_KEY}:`)}`),
    [STRIPE_KEY, base64(`${STRIPE_KEY}:`)],
    ['acct_1032D82eZvKYlo2C', 'sk_test_'],
  ],
  [
    'Basic of GitHub, a token for a user',
    authorization(`Basic ${base64(`${GITHUB_TOKEN}:x-oauth-basic`)}`),
    [GITHUB_TOKEN],
    ['x-oauth-basic'],
  ],
  [
    'Basic of Freshdesk, a key for a user',
    authorization(`Basic ${base64('b3Kx9QzT7vLm2Rw8YnPd:X')}`),
    ['b3Kx9QzT7vLm2Rw8YnPd'],
    ['X'],
  ],
  [
    'ApiKey of Elasticsearch',
    authorization(`ApiKey ${base64('VuaCfGcBCdbkQm-e5aOx:ui2lp2axTNmsyakw9tvNnw')}`),
    ['ui2lp2axTNmsyakw9tvNnw', base64('VuaCfGcBCdbkQm-e5aOx:ui2lp2axTNmsyakw9tvNnw')],
    ['VuaCfGcBCdbkQm-e5aOx'],
  ],
  [
    'Basic of a short key for a user',
    authorization(`Basic ${base64('k9-xZ2:')}`),
    ['k9-xZ2'],
    ['k9-xZ', 'k9-xZ22', 'ak9-xZ2'],
  ],
  [
    'Basic without a colon',
    authorization(`Basic ${base64('nocolon-4711')}`),
    ['nocolon-4711'],
    ['nocolon'],
  ],
  [
    'Basic without a user',
    authorization(`Basic ${base64(':t0ken-only')}`),
    ['t0ken-only'],
    ['t0ken'],
  ],
];

const HEX = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';

const SIGNED: Row[] = [
  [
    'AWS, signature 4',
    {
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        `SignedHeaders=host;range;x-amz-date, Signature=${HEX}`,
      'x-amz-date': '20130524T000000Z',
      'x-amz-security-token': 'FwoGZXIvYXdzEBYaDkzN8qLmVhM1Rk',
    },
    [HEX, 'FwoGZXIvYXdzEBYaDkzN8qLmVhM1Rk'],
    [
      '20130524',
      'us-east-1',
      'aws4_request',
      'host;range;x-amz-date',
      'AWS4-HMAC-SHA256',
      '20130524T000000Z',
      'AKIAIOSFODNN7EXAMPLE',
      '20130524/us-east-1/s3/aws4_request',
    ],
  ],
  [
    'AWS, signature 2',
    authorization('AWS AKIAIOSFODNN7EXAMPLE:bWq2s1WEIj+Ydj0vQ697zp+IXMU='),
    ['bWq2s1WEIj+Ydj0vQ697zp+IXMU='],
    ['AKIAIOSFODNN7EXAMPLE'],
  ],
  [
    'Azure storage',
    authorization('SharedKey myaccount:ctzMq410TV3wS7upTBcunJTDLEJwMAZuFPfr0mrrA08='),
    ['ctzMq410TV3wS7upTBcunJTDLEJwMAZuFPfr0mrrA08='],
    ['myaccount', 'https://myaccount.blob.core.windows.net/', 'SharedKey'],
  ],
  [
    'Azure storage, lite',
    authorization('SharedKeyLite testaccount1:uay+rilMVayH/SVI8X+a3fL8k/NxCnIePdyZSkqvydM='),
    ['uay+rilMVayH/SVI8X+a3fL8k/NxCnIePdyZSkqvydM='],
    ['testaccount1', 'testaccount10'],
  ],
  [
    'Digest',
    authorization(
      'Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256, ' +
        'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, qop=auth-int, ' +
        'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
    ),
    ['753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
    ['Mufasa', 'http-auth@example.org', '/dir/index.html', 'SHA-256', '00000001', 'auth-int'],
  ],
  [
    'OAuth 1.0',
    authorization(
      'OAuth realm="Photos",oauth_consumer_key="dpf43f3p2l4k3l03",oauth_token="nnch734d00sl2jdk",' +
        'oauth_signature_method="HMAC-SHA1",oauth_timestamp="1371312000",' +
        'oauth_signature="MdpQcU8iPSUjWoN%2FUDMK2sui9I%3D"',
    ),
    ['nnch734d00sl2jdk', 'MdpQcU8iPSUjWoN%2FUDMK2sui9I%3D', 'MdpQcU8iPSUjWoN/UDMK2sui9I='],
    ['Photos', 'HMAC-SHA1', '1371312000', 'oauth_token'],
  ],
  [
    'Hawk',
    authorization(
      'Hawk id="dh37fgj492je", ts="1353832234", nonce="j4h3g2", ext="some-app-ext-data", ' +
        'mac="6R4rV5iE+NPoym+WwjeHzjAGXUtLNIxmo1vpMOfQAoA="',
    ),
    ['6R4rV5iE+NPoym+WwjeHzjAGXUtLNIxmo1vpMOfQAoA='],
    ['dh37fgj492je', '1353832234', 'some-app-ext-data'],
  ],
  [
    'HTTP signatures',
    authorization(
      'Signature keyId="main",algorithm="rsa-sha256",headers="(request-target) host date",' +
        'signature="qdx+H7PHHDZgy4y/Ahn9Tny9V3GP6YgBPyUXMmoxWtLbHpUnXS2mg2+SbrQDMCJypxBLSPQR2aAjn7ndmw2iicw3HMbe8VfE"',
    ),
    [
      'qdx+H7PHHDZgy4y/Ahn9Tny9V3GP6YgBPyUXMmoxWtLbHpUnXS2mg2+SbrQDMCJypxBLSPQR2aAjn7ndmw2iicw3HMbe8VfE',
    ],
    ['rsa-sha256', '(request-target) host date'],
  ],
];

export const AUTHORIZATIONS: readonly ServiceCredential[] = [...TOKENS, ...BASIC, ...SIGNED].map(
  ([name, headers, secrets, plain]) => ({ name, headers, secrets, plain }),
);
