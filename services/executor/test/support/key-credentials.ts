import type { ServiceCredential } from './service-credentials.ts';

/**
 * Credentials in headers of their own, in cookies, and in signatures of webhooks. None is
 * real.
 */

type Row = [name: string, headers: Record<string, string>, secrets: string[], plain?: string[]];

/** Headers whose whole value is the secret. */
const whole = (
  name: string,
  headers: Record<string, string>,
  more: Record<string, string> = {},
): Row => [name, { ...headers, ...more }, Object.values(headers), Object.values(more)];

const KEYS: Row[] = [
  whole('an API key', { 'X-API-Key': 'k-5fJ8wQ2n' }),
  whole('an API key that reads like a public parameter', { 'X-API-Key': 'id=k5fJ8wQ2n' }),
  whole(
    'Anthropic',
    { 'x-api-key': 'sk-ant-api03-R2D2-Zq8wV4' },
    { 'anthropic-version': '2023-06-01' },
  ),
  whole('Azure OpenAI', { 'api-key': '0f1e2d3c4b5a69788796a5b4c3d2e1f0' }),
  whole('Azure API management', { 'Ocp-Apim-Subscription-Key': '8d7c6b5a49382716' }),
  whole('Supabase', { apikey: 'sbp-3fQ9vT7kLm1Z' }),
  whole(
    'Google',
    { 'x-goog-api-key': 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY' },
    { 'x-goog-user-project': 'my-project-42' },
  ),
  whole(
    'Algolia',
    { 'X-Algolia-API-Key': '643f2b8dd2c4ae0c5fe4d1c1' },
    { 'X-Algolia-Application-Id': 'YourApplicationID' },
  ),
  whole('Datadog', {
    'DD-API-KEY': '9775a026f1ca7d1c6c5af9d94d9595a4',
    'DD-APPLICATION-KEY': '87ce4a24b5553d2e482ea8a8',
  }),
  whole(
    'Cloudflare',
    { 'X-Auth-Key': 'c2547eb745079dac9320b638f5e225cf483cc5cfdda41' },
    { 'X-Auth-Email': 'user@example.com' },
  ),
  whole('Shopify', { 'X-Shopify-Access-Token': 'shpat-4e2a7b9c1d3f' }),
  whole('GitLab', { 'PRIVATE-TOKEN': 'glpat-xY7zK2mN9pQ4' }),
  whole('Vault', { 'X-Vault-Token': 'hvs.CAESIJ2bq8' }, { 'X-Vault-Namespace': 'team-a/prod' }),
  whole('OpenStack', {
    'X-Auth-Token': 'gAAAAABkT8xQ-subject',
    'X-Subject-Token': 'gAAAAABkT9yR-other',
  }),
  whole(
    'Honeycomb',
    { 'X-Honeycomb-Team': 'hcaik7Fv2QpZ8' },
    { 'X-Honeycomb-Dataset': 'production' },
  ),
  whole('Binance', {
    'X-MBX-APIKEY': 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  }),
  whole('Kraken', {
    'API-Key': 'zT4-Kp9wQm2x',
    'API-Sign': '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8',
  }),
  whole(
    'Coinbase',
    {
      'CB-ACCESS-KEY': 'cb1f7d3a9e5b2c4d',
      'CB-ACCESS-SIGN': 'mC8jN4pQ7rT2vX5zB9dF3gH6kL1nS0wYaEcIoUqRyPs=',
      'CB-ACCESS-PASSPHRASE': 'blue-whale',
    },
    { 'CB-ACCESS-TIMESTAMP': '1712345678' },
  ),
  whole(
    'OKX',
    {
      'OK-ACCESS-KEY': '37c541a1-3ede-42f0-9cbe',
      'OK-ACCESS-SIGN': 'leaVRETrtaoEQ3yI9qEtI1CZ82ikZ4xSG5Kj8gnl3uw=',
      'OK-ACCESS-PASSPHRASE': '1i2r3S_pass',
    },
    { 'OK-ACCESS-TIMESTAMP': '2020-12-08T09:08:57.715Z' },
  ),
  whole(
    'Bybit',
    {
      'X-BAPI-API-KEY': 'XXb9QzT4kM2w',
      'X-BAPI-SIGN': '410e0f387bafb7afd0f1722c068515945610124fa11774da1da8',
    },
    { 'X-BAPI-TIMESTAMP': '1658384431891', 'X-BAPI-RECV-WINDOW': '500000' },
  ),
  whole('a one-time code of GitHub', { 'X-GitHub-OTP': '490321' }),
  whole('a passcode', { 'X-Passcode': 'Q7-x9Z' }),
  whole('a passphrase', { 'X-Key-Passphrase': 'open sesame 77' }),
  whole('a password', { 'X-Password': 'hunter2!' }, { 'X-Username': 'hunter' }),
  whole('a client secret', { 'X-Client-Secret': 'cs-9Zk2Lm4Q' }, { 'X-Client-Id': 'client-4711' }),
  whole('access, refresh and id tokens', {
    'X-Access-Token': 'at-8fK2mQ',
    'X-Refresh-Token': 'rt-5gL9pW',
    'X-Id-Token': 'it-3hZ7vB',
  }),
  whole('CSRF', {
    'X-CSRF-Token': 'i8XNjC4b8KVok4uw5RftR38Wgp2BFwql',
    'X-XSRF-TOKEN': 'xsrf-77aZ',
  }),
  whole('an idempotency key, which is none', {}, { 'Idempotency-Key': 'order-1001' }),
  whole(
    'keys and tokens that only count or page',
    {},
    {
      'Surrogate-Key': 'article-42',
      'X-Next-Page-Token': 'page-0002',
      'X-Ms-Continuationtoken': 'continue-77',
      'X-Idempotency-Key': 'payment-88',
    },
  ),
];

const SIGNATURES: Row[] = [
  [
    'a webhook of Stripe',
    {
      'Stripe-Signature':
        't=1492774577,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8',
    },
    ['5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8'],
    ['1492774577'],
  ],
  [
    'a webhook with a short signature',
    { 'x-signature': 't=1492774577,v1=9aF3-kQ2x' },
    ['9aF3-kQ2x'],
    ['1492774577', '9aF3-kQ2xQ'],
  ],
  [
    'a webhook of GitHub',
    {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    ['757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'],
    ['sha256'],
  ],
  [
    'a webhook of Slack',
    {
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      'X-Slack-Request-Timestamp': '1531420618',
    },
    ['a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
    ['1531420618'],
  ],
];

const PREFERENCES =
  'tz=Europe/Berlin; lang=english; theme=solarized; currency=dollars; consent=accepted; locale=de_DE.UTF-8';
const PREFERRED = ['Europe/Berlin', 'english', 'solarized', 'dollars', 'accepted', 'de_DE.UTF-8'];

/** A cookie beside preferences. */
const cookie = (name: string, value: string, ...more: string[]): Row => [
  `the cookie ${name}`,
  { Cookie: `tz=Europe/Berlin; ${name}=${value}; lang=english` },
  [value, ...more],
  ['Europe/Berlin', 'english', name],
];

const COOKIES: Row[] = [
  ['preferences', { Cookie: PREFERENCES }, [], [...PREFERRED, 'Berlin']],
  [
    'more preferences',
    {
      cookie:
        'timezone=America/New_York; language=deutsch; country=Germany; cookie_consent=declined',
    },
    [],
    ['America/New_York', 'deutsch', 'Germany', 'declined'],
  ],
  cookie('PHPSESSID', '298zf09hf012fh2'),
  cookie('JSESSIONID', '0A1B2C3D4E5F60718293A4B5C6D7E8F9.node1'),
  cookie('connect.sid', 's%3AfW1h-xK2.QTbV3%2Bm8w', 's:fW1h-xK2.QTbV3+m8w'),
  cookie('laravel_session', 'eyJpdiI6IkF2Zk1qIn0%3D', 'eyJpdiI6IkF2Zk1qIn0='),
  cookie('XSRF-TOKEN', 'eyJpdiI6Ik9hYnRSIn0%3D', 'eyJpdiI6Ik9hYnRSIn0='),
  cookie('csrftoken', 'u32t4o3tb3gg43'),
  cookie('sessionid', '38afes7a8'),
  cookie('_app_session', 'BAh7B0kiD3Nlc3Npb25faWQGOgZFVA'),
  cookie('ASP.NET_SessionId', '5fzr3e45m0rtvz55'),
  cookie('__Host-session', 'h0st-Zk7mQ2'),
  cookie('__Secure-next-auth.session-token', 'eyJhbGciOiJkaXIifQ..Kx8.zP9'),
  cookie('remember_token', 'r3m3mber-77'),
  cookie('remember_web_59ba36addc2b2f9401580f014c7f58ea4e30989d', 'MTIzNHxrM3k-'),
  cookie('auth_token', 'aut-9Zk2L'),
  cookie('access_token', 'acc-4Xm8Q'),
  cookie('user_session', 'usr-7Pn3W'),
  cookie('jwt', 'hdr.pay-9.sig-4'),
  [
    'a quoted session cookie',
    { Cookie: 'tz=Europe/Berlin; sid="quoted-s1d"' },
    ['quoted-s1d'],
    ['Europe/Berlin'],
  ],
  [
    'a session cookie in a header of its own',
    { 'x-session-cookie': 'sid=Kx82-hqPz0' },
    ['Kx82-hqPz0'],
  ],
];

export const KEY_CREDENTIALS: readonly ServiceCredential[] = [
  ...KEYS,
  ...SIGNATURES,
  ...COOKIES,
].map(([name, headers, secrets, plain = []]) => ({ name, headers, secrets, plain }));
