import { isUtf8 } from 'node:buffer';
import { cookieSecrets } from './cookies.ts';
import type { IsCredentialHeader } from './header-names.ts';

/** Shorter ones appear everywhere by chance. */
const MIN_SECRET_LENGTH = 8;

/** Searching for more would hold up other callers. */
export const MAX_SECRETS = 64;

/** The credentials of a request, in latin1. */
export interface Credentials {
  /** What nobody else may see: tokens, passwords, keys, signatures, session cookies. */
  readonly secrets: readonly string[];
  /** Whole header values that hold a secret, which an upstream may repeat in base64. */
  readonly wholes: readonly string[];
}

/** Reads the credentials in request headers (contract section 3, "Redaction: echoes"). */
export function credentialsIn(
  headers: ReadonlyMap<string, string>,
  isCredential: IsCredentialHeader,
): Credentials {
  const secrets = new Set<string>();
  const wholes: string[] = [];
  for (const [name, value] of headers) {
    if (!isCredential(name)) continue;
    const read = name === 'cookie' ? cookieSecrets(value) : headerSecrets(name, value);
    const found = read
      .flatMap((secret) => [secret, ...percentDecoded(secret)])
      .filter((secret) => charactersOf(secret) >= MIN_SECRET_LENGTH);
    for (const secret of found) secrets.add(secret);
    if (found.some((secret) => secret !== value)) wholes.push(value);
  }
  return { secrets: [...secrets], wholes };
}

/** Cookies and OAuth 1.0 encode their values, which an upstream repeats decoded. */
function percentDecoded(secret: string): string[] {
  const decoded = secret.replace(/%([\da-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded === secret ? [] : [decoded];
}

const SCHEME = /^[\w!#$%&'*+.^`|~-]+(?=[ \t])/;

/** A quoted part, or the comma before another credential, which begins with a scheme. */
const QUOTED_OR_NEXT = /"(?:[^"\\]|\\.)*(?:"|$)|,[ \t]*(?=[A-Za-z][\w-]*[ \t]+[^\s=,])/g;

/** Headers that hold schemes and lists of credentials. */
const SCHEME_HEADER = /authori[sz]ation|authentication/;

function headerSecrets(header: string, value: string): string[] {
  if (!SCHEME_HEADER.test(header)) return valueSecrets(header, value);
  const credentials: string[] = [];
  let start = 0;
  for (const { 0: found, index } of value.matchAll(QUOTED_OR_NEXT)) {
    if (found.startsWith('"')) continue;
    credentials.push(value.slice(start, index).trim());
    start = index + found.length;
  }
  credentials.push(value.slice(start));
  return credentials.flatMap((each) => valueSecrets(header, each));
}

/** A scheme whose credential is empty. */
const LONE_SCHEME = /^(?:bearer|basic|digest|negotiate|token|apikey)$/i;

/** A value is a scheme and what follows it, or that alone. */
function valueSecrets(header: string, value: string): string[] {
  if (LONE_SCHEME.test(value)) return [];
  const scheme = SCHEME.exec(value)?.[0];
  if (scheme === undefined) return credentialSecrets(value, '');
  const rest = value.slice(scheme.length).trimStart();
  if (scheme.toLowerCase() === 'basic') return basicSecrets(rest);
  const secrets = credentialSecrets(rest, scheme.toLowerCase());
  return SCHEME_HEADER.test(header) || isParameters(rest) ? secrets : [value, ...secrets];
}

/** The encoded pair and its password, or the user name where that is the key. */
function basicSecrets(encoded: string): string[] {
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, Math.max(0, colon)), pair.slice(colon + 1)];
  return [encoded, isKey(user, password) ? user : password];
}

/** No password, or what GitHub wants in its place. */
const NO_PASSWORD: readonly string[] = ['', 'x-oauth-basic'];

/** A shorter password beside a key is a filler such as `X`. */
const FILLER_LENGTH = 6;

/** Whether the user name is the key: the password is missing, or a filler such as `X`. */
function isKey(user: string, password: string): boolean {
  if (NO_PASSWORD.includes(password)) return true;
  return password.length < FILLER_LENGTH && /^(?=.*\d)[\w.-]{16,}$/.test(user);
}

/** What `name:key` in base64 holds, as in `ApiKey` of Elasticsearch. */
const ENCODED_PAIR = /^[\w.@-]+:[\x21-\x7e]+$/;

function keyOfPair(encoded: string): string[] {
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  return ENCODED_PAIR.test(pair) ? [pair.slice(pair.indexOf(':') + 1)] : [];
}

function credentialSecrets(text: string, scheme: string): string[] {
  // A bearer token is one, whatever it looks like (RFC 6750).
  if (scheme !== 'bearer' && isParameters(text)) return parameterSecrets(text, scheme) ?? [text];
  const behindColon = text.slice(text.lastIndexOf(':') + 1);
  return [text, behindColon, ...keyOfPair(text)];
}

/** Whether a text begins with `name=value`; `=` at its end is the padding of base64. */
const isParameters = (text: string): boolean => /^[A-Za-z][\w.-]*=[^=\s]/.test(text);

/** Quoted, in base64 between colons (RFC 9421, section 4.2), or plain. */
const PARAMETER_VALUE = /"((?:[^"\\]|\\.)*)(?:"|$)|:([\w+/-]+=*):(?=[,;\s]|$)|([^",;&\s]+)/;

/** The look-behind keeps it linear on a long token. */
const PARAMETER = new RegExp(
  `(?<![\\w.-])([A-Za-z][\\w.-]*)[ \\t]*=[ \\t]*(?:${PARAMETER_VALUE.source})`,
  'g',
);

/** Parameters that identify, describe or time a credential. */
const PUBLIC_PARAMETERS = new Set(
  (
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid client_id ' +
    'clientname created credential date device deviceid domain email expires ext headers id iss keyid key_id kid ' +
    'method nc oauth_callback oauth_signature_method oauth_timestamp oauth_version oauth_consumer_id qop ' +
    'realm scope sig_method signature_method signature_version signedheaders t timestamp ts uri user userhash ' +
    'userid user_id username username* v ver version'
  ).split(' '),
);

function valuesOf([, name = '', quoted, bytes, plain = '']: RegExpExecArray): string[] {
  if (bytes !== undefined) return [bytes];
  if (PUBLIC_PARAMETERS.has(name.toLowerCase())) return [];
  if (quoted !== undefined) return [quoted, quoted.replace(/\\(.)/g, '$1')];
  return [plain, plain.replace(/^.*=(?=[^=])/, '')];
}

/**
 * The secret values of `name=value, name="value"`, quoted ones also with escapes undone.
 * Undefined: the whole text may be a secret that only looks like parameters, as the values
 * are too short, or there are none and no scheme.
 */
function parameterSecrets(text: string, scheme: string): string[] | undefined {
  const values = [...text.matchAll(PARAMETER)].flatMap(valuesOf);
  if (values.length === 0) return scheme === '' ? undefined : [];
  return values.every(({ length }) => length < MIN_SECRET_LENGTH) ? undefined : values;
}

/** The length in characters of UTF-8, or in bytes of anything else. */
export function charactersOf(secret: string): number {
  const bytes = Buffer.from(secret, 'latin1');
  return isUtf8(bytes) ? bytes.toString().length : secret.length;
}
