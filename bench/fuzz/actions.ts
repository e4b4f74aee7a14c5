import { jsonText, largeJsonText, mutate, word } from './json.ts';
import type { Random } from './random.ts';
import { schemaText } from './schemas.ts';

const METHODS = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', 'Post', 'TRACE'],
  ...['CONNECT', '', 'GÉT'],
];

const GOOD_METHODS = METHODS.slice(0, 9);

const HEADER_NAMES = [
  ...['authorization', 'Authorization', 'cookie', 'x-api-key', 'x-auth-token', 'accept'],
  ...['content-type', 'user-agent', 'host', 'content-length', 'transfer-encoding'],
  ...['connection', 'proxy-x', 'x-forwarded-for', 'te', 'expect', 'traceparent'],
  ...['idempotency-key', 'x_api_key', '', 'a b', 'é', 'x-http-method-override'],
  'accept-encoding',
];

const HEADER_VALUES = [
  ...['Bearer abcdef0123456789', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic !!!', 'Bearer '],
  ...['Digest a="b\\"c", d=e', 'x', 'application/json', 'application/x-www-form-urlencoded'],
  ...['text/plain', 'application/merge-patch+json', 'a\nb', 'é', 'a=b; c=d', 'sid="x y"'],
  ...['%41%zz', '\u0000', '', ' ', '0', 'application/json; charset=latin1', 'REDACTED'],
];

const quoted = (text: string) => JSON.stringify(text);

const PATHS = [
  ...['', '/', '/a', '/a?b=c', '/%41', '/%zz', '/../..', '/a#b', '//x', '/é', '/a b', '/\\x'],
  ...['?', '#'],
];
const HOSTS = [
  ...['localhost', '127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]'],
  ...['127.0.0.1.', '%31', 'a.test', '', 'user@127.0.0.1', 'user:pass@127.0.0.1'],
  ...['169.254.169.254', '0.0.0.0', 'LOCALHOST', 'ⓛocalhost', 'a..b', '['],
];
const SCHEMES = [
  ...['http://', 'https://', 'HTTP://', 'ftp://', 'file://', 'http:', '//', '', 'javascript:'],
  'http:\\\\',
];

function url(random: Random, origin: string): string {
  const path = random.pick(PATHS);
  if (random.chance(0.6)) return origin + path;
  const port = random.pick([`:${new URL(origin).port}`, ':22', ':', '', ':99999', ':0']);
  return mutateSometimes(random, `${random.pick(SCHEMES)}${random.pick(HOSTS)}${port}${path}`, 0.2);
}

const GOOD_PATHS = ['', '/', '/a', '/a?b=c', '/%41', '/a?x=%7B%22', '/a//b', '/a;b=c', '/-._~'];
const GOOD_HEADERS = [
  '"authorization":"Bearer abcdef0123456789"',
  ...['"cookie":"sid=abcdef0123456789; tz=Europe/Berlin"', '"x-a":"\\"b\\\\"'],
  ...['"x-api-key":"0123456789012345678"', '"content-type":"application/merge-patch+json"'],
  ...['"accept":"*/*"', '"te-x":""', '"x-signature":"t=1,v1=abcdef0123456789"'],
  ...['"idempotency-key":"order-1001"', '"x-auth-token":"%41%42%43%44%45%46"'],
];

function goodHeaders(random: Random): string {
  return `{${[...new Set(random.times(random.small(6), () => random.pick(GOOD_HEADERS)))].join(',')}}`;
}

function mutateSometimes(random: Random, text: string, probability: number): string {
  return random.chance(probability) ? mutate(random, text) : text;
}

function headers(random: Random): string {
  const members = random.times(random.small(random.chance(0.02) ? 200 : 6), () => {
    const name = random.chance(0.8) ? random.pick(HEADER_NAMES) : word(random);
    const value = random.chance(0.8)
      ? random.pick(HEADER_VALUES)
      : word(random).repeat(random.small(300));
    return `${quoted(name)}:${random.chance(0.95) ? quoted(value) : jsonText(random, 1)}`;
  });
  return `{${members.join(',')}}`;
}

/** The text of an action that nothing is wrong with, hostile as its parts may be. */
function goodAction(random: Random, origin: string): string {
  const members = [
    `"method":${quoted(random.pick(GOOD_METHODS))}`,
    `"url":${quoted(origin + random.pick(GOOD_PATHS))}`,
  ];
  if (random.chance(0.5)) members.push(`"headers":${goodHeaders(random)}`);
  if (random.chance(0.6)) members.push(`"body":${jsonText(random, 6, false)}`);
  return `{${members.join(',')}}`;
}

/** The text of an action, well-formed, wrong, or no JSON at all. */
export function actionText(random: Random, origin: string): string {
  if (random.chance(0.4)) return mutateSometimes(random, goodAction(random, origin), 0.3);
  const members = [
    `"method":${quoted(random.pick(METHODS))}`,
    `"url":${quoted(url(random, origin))}`,
  ];
  if (random.chance(0.6))
    members.push(`"headers":${random.chance(0.95) ? headers(random) : jsonText(random)}`);
  if (random.chance(0.6))
    members.push(
      `"body":${random.chance(0.99) ? jsonText(random) : largeJsonText(random, 100_000)}`,
    );
  if (random.chance(0.1))
    members.push(`"response_schema":${random.chance(0.7) ? schemaText(random) : jsonText(random)}`);
  if (random.chance(0.1))
    members.push(
      `"response_type":${quoted(random.pick(['json', 'text', 'base64', 'auto', 'xml']))}`,
    );
  if (random.chance(0.1)) members.push(`${quoted(word(random))}:${jsonText(random)}`);
  if (random.chance(0.05)) members.push(random.pick(members));
  return mutateSometimes(random, `{${members.join(',')}}`, 0.3);
}

/** Texts of which the first ones are right. */
interface Texts {
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

const AMOUNTS: Texts = {
  right: ['0', '1', '10000', '10001', '50000', '50001', '9007199254740991', '12345678'],
  wrong: ['9007199254740993', '1e400', '10000.0000000000001', '-1', '"1"', '1.5', 'null', '[]'],
};
const CURRENCIES: Texts = {
  right: ['"EUR"', '"eur"', '"JPY"', '"KWD"', '"CLF"', '"USD"'],
  wrong: ['"XAU"', '"ZZZ"', '"E"', 'null', '1', '"ＥＵＲ"', '"__proto__"'],
};
const CATEGORIES: Texts = {
  right: ['"health"', '"basic_contact"', '"biometric"', '"location"', '"other"'],
  wrong: ['"Health"', 'null', '1', '""', '"toString"'],
};
const FLAGS: Texts = {
  right: ['"prohibited_content"', '"requires_review"', '"terms_unknown"', '"other"'],
  wrong: ['"health"', 'null', '{}', '"constructor"'],
};
const SCOPES: Texts = {
  right: [
    ...['"mcp://root"', '"MCP://Root"', '"mcp://secrets/prod"', '"mcp://calendar"', '""'],
    ...['" "', 'null', '"mcp://"', '"é"'],
  ],
  wrong: ['{}', '1', '[]'],
};

/** The text of a policy check, likewise. */
export function checkText(random: Random): string {
  const rightly = random.chance(0.6) ? 1 : 0.8;
  const either = ({ right, wrong }: Texts) => {
    if (random.chance(rightly)) return random.pick(right);
    return random.chance(0.8) ? random.pick(wrong) : jsonText(random, 3, false);
  };
  const labels = (texts: Texts) =>
    `[${random.times(random.small(6), () => either(texts)).join(',')}]`;
  const members: string[] = [];
  if (random.chance(0.8)) {
    const limit = random.chance(0.3) ? `,"user_limit_minor_units":${either(AMOUNTS)}` : '';
    members.push(
      `"spend":{"amount_minor_units":${either(AMOUNTS)},"currency":${either(CURRENCIES)}${limit}}`,
    );
  }
  if (random.chance(0.6)) members.push(`"pii":{"categories":${labels(CATEGORIES)}}`);
  if (random.chance(0.6)) members.push(`"legal":{"flags":${labels(FLAGS)}}`);
  if (random.chance(0.6)) members.push(`"connector":{"scope":${either(SCOPES)}}`);
  if (random.chance(0.2)) members.push(`"request_id":${quoted(word(random))}`);
  if (random.chance(1 - rightly)) members.push(`${quoted(word(random))}:${jsonText(random)}`);
  if (random.chance(0.02)) members.push(random.pick([...members, '"pii":null']));
  return mutateSometimes(random, `{${members.join(',')}}`, 0.25);
}
