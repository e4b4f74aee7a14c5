/** Names of headers whose values are credentials, in requests and in responses. */
const CREDENTIAL_NAMES = [
  /^(?:proxy-)?authorization$/,
  /^proxy-/,
  /cookie/,
  /(?:^|-)(?:api)?key$/,
  /api-?key/,
  /^(?!.*ratelimit).*token/,
  /jwt/,
  /assertion/,
  /secret/,
  /session/,
  /signature/,
  /csrf|xsrf/,
  /password|passwd/,
  /credential/,
  /^x-auth(?:-|$)/,
  /^dpop$/,
];

const CREDENTIAL_NAME = new RegExp(CREDENTIAL_NAMES.map(({ source }) => source).join('|'));

/** The same names come with every response; those that an upstream makes up are forgotten together. */
const MAX_KNOWN_NAMES = 512;

/** Shorter values are left alone: they would be found by chance everywhere. */
const MIN_LENGTH = 6;

/** Decides by its lower-case name whether a header shows as `REDACTED`. */
export type IsCredentialHeader = (name: string) => boolean;

/** The documented patterns, plus the names of `HTTP_EXECUTOR_REDACTED_HEADERS`. */
export function credentialHeaders(additionalNames: readonly string[]): IsCredentialHeader {
  const additional = new Set(additionalNames.map((name) => name.toLowerCase()));
  const known = new Map<string, boolean>();
  return (name) => {
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const lower = name.toLowerCase();
    const judged = additional.has(lower) || CREDENTIAL_NAME.test(lower.replaceAll('_', '-'));
    if (known.size >= MAX_KNOWN_NAMES) known.clear();
    known.set(name, judged);
    return judged;
  };
}

/**
 * Every spelling in which an upstream may echo the credentials of these request headers, but for escapes, which the
 * search undoes: the values, what is inside them, and those in base64, also as part of a longer text.
 */
export function credentialSpellings(headers: ReadonlyMap<string, string>, isCredential: IsCredentialHeader): string[] {
  const spellings = new Set<string>();
  for (const [name, value] of headers) {
    if (!isCredential(name)) continue;
    const secrets = name === 'cookie' ? cookieParts(value) : authorizationParts(value);
    for (const secret of secrets) {
      if (secret.length < MIN_LENGTH) continue;
      for (const spelling of spellingsOf(secret)) spellings.add(spelling);
    }
  }
  return [...spellings];
}

/** The value, what follows its scheme, the parameters in that, and the user and password of Basic credentials. */
function authorizationParts(value: string): string[] {
  const [, scheme, rest] = /^([\w-]+)\s+(.+)$/.exec(value) ?? [];
  if (scheme === undefined || rest === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, rest, ...parameterValues(rest)];
  const decoded = Buffer.from(rest, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon === -1
    ? [value, rest, decoded]
    : [value, rest, decoded, decoded.slice(0, colon), decoded.slice(colon + 1)];
}

/** A name counts from its beginning only, so that a long token is not tried from each of its characters. */
const PARAMETER = /(?<![\w-])[\w-]+=(?:"((?:[^"\\]|\\.)*)"|"?([^",;\s]+))/g;

/** The values of `name=value, name="value"`; a quoted one also with its escapes undone. */
function parameterValues(text: string): string[] {
  return [...text.matchAll(PARAMETER)].flatMap(([, quoted, plain]) =>
    quoted === undefined ? [plain ?? ''] : [quoted, quoted.replace(/\\(.)/g, '$1')],
  );
}

/** The whole header and the value of each cookie. */
function cookieParts(value: string): string[] {
  const values = value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
  return [value, ...values, ...values.map((each) => each.replace(/^"|"$/g, ''))];
}

const DIGITS = /^-?\d+(?:\.\d+)?$/;

function spellingsOf(secret: string): string[] {
  const octets = Buffer.from(secret);
  const base64 = octets.toString('base64');
  const spellings = [secret, base64, base64.replace(/=+$/, ''), ...alignedBase64(octets)];
  if (secret.includes('%')) spellings.push(...decoded(secret));
  if (/[^\0-\x7f]/.test(secret)) spellings.push(encodeURIComponent(secret.toWellFormed()));
  if (secret.includes(' ')) spellings.push(secret.replaceAll(' ', '+')); // forms
  // A number loses digits on its way through JSON.
  if (DIGITS.test(secret)) spellings.push(String(Number(secret)));
  return spellings;
}

/** What frameworks make of a cookie, say, that is URL-encoded. */
function decoded(secret: string): string[] {
  try {
    return [decodeURIComponent(secret)].filter((text) => text.length >= MIN_LENGTH);
  } catch {
    return [];
  }
}

/** The characters of base64 that these octets alone decide, for each place that they may have in a longer text. */
function alignedBase64(octets: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const bits = (before + octets.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), octets]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  });
}
