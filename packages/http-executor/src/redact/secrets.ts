import { isUtf8 } from 'node:buffer';
import { cookieSecrets } from './cookies.ts';
import type { IsCredentialHeader } from './header-names.ts';

/** Shorter secrets would match ordinary text by chance. */
const MIN_SECRET_CHARS = 8;

/** A search for more secrets would delay other callers. */
export const MAX_SECRETS = 64;

/** Credentials of a request, in latin1. */
export interface Credentials {
  /** Tokens, passwords, keys, signatures and session cookies. */
  readonly secrets: readonly string[];
  /** Complete header values that contain a secret, which an upstream may echo in base64. */
  readonly headerValues: readonly string[];
}

/** Finds the credentials in request headers (docs/contract.md, "Redaction"). */
export function credentialsIn(
  headers: ReadonlyMap<string, string>,
  isCredential: IsCredentialHeader,
): Credentials {
  const secrets = new Set<string>();
  const headerValues: string[] = [];
  for (const [name, value] of headers) {
    if (!isCredential(name)) continue;
    const read = name === 'cookie' ? cookieSecrets(value) : headerSecrets(name, value);
    const found = read
      .flatMap((secret) => [secret, ...percentDecoded(secret)])
      .filter((secret) => charactersOf(secret) >= MIN_SECRET_CHARS);
    for (const secret of found) secrets.add(secret);
    if (found.some((secret) => secret !== value)) headerValues.push(value);
  }
  return { secrets: [...secrets], headerValues };
}

/** Decodes values of cookies and OAuth 1.0, because an upstream may echo them decoded. */
function percentDecoded(secret: string): string[] {
  const decoded = secret.replace(/%([\da-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded === secret ? [] : [decoded];
}

const SCHEME = /^[\w!#$%&'*+.^`|~-]+(?=[ \t])/;

/** A quoted string, or a comma before another credential, which begins with a scheme. */
const QUOTED_OR_NEXT = /"(?:[^"\\]|\\.)*(?:"|$)|,[ \t]*(?=[A-Za-z][\w-]*[ \t]+[^\s=,])/g;

/** Headers that may list several credentials, each with a scheme. */
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

/** A scheme without a credential. */
const LONE_SCHEME = /^(?:bearer|basic|digest|negotiate|token|apikey)$/i;

/** Lists the secrets of one credential, which may begin with a scheme. */
function valueSecrets(header: string, value: string): string[] {
  if (LONE_SCHEME.test(value)) return [];
  const scheme = SCHEME.exec(value)?.[0];
  if (scheme === undefined) return credentialSecrets(value, '');
  const rest = value.slice(scheme.length).trimStart();
  if (scheme.toLowerCase() === 'basic') return basicSecrets(rest);
  const secrets = credentialSecrets(rest, scheme.toLowerCase());
  return SCHEME_HEADER.test(header) || isParameters(rest) ? secrets : [value, ...secrets];
}

/** Returns the encoded pair and its password, or its user name if that is the key. */
function basicSecrets(encoded: string): string[] {
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, Math.max(0, colon)), pair.slice(colon + 1)];
  return [encoded, isUserTheSecret(user, password) ? user : password];
}

/** No password, or the placeholder of GitHub. */
const NO_PASSWORD: readonly string[] = ['', 'x-oauth-basic'];

/** Shorter passwords beside a key are fillers such as `X`. */
const MIN_PASSWORD_CHARS = 6;

/** True if the user name is the secret, because the password is missing or a filler. */
function isUserTheSecret(user: string, password: string): boolean {
  if (NO_PASSWORD.includes(password)) return true;
  return password.length < MIN_PASSWORD_CHARS && /^(?=.*\d)[\w.-]{16,}$/.test(user);
}

/** `name:key`, which the `ApiKey` scheme of Elasticsearch sends in base64. */
const NAME_AND_KEY = /^[\w.@-]+:[\x21-\x7e]+$/;

function apiKeySecrets(encoded: string): string[] {
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  return NAME_AND_KEY.test(pair) ? [pair.slice(pair.indexOf(':') + 1)] : [];
}

function credentialSecrets(text: string, scheme: string): string[] {
  // A bearer token is never a list of parameters, even if it contains `=` (RFC 6750).
  if (scheme !== 'bearer' && isParameters(text)) return parameterSecrets(text, scheme) ?? [text];
  const behindColon = text.slice(text.lastIndexOf(':') + 1);
  return [text, behindColon, ...apiKeySecrets(text)];
}

/** True if the text begins with `name=value`; a final `=` is base64 padding. */
const isParameters = (text: string): boolean => /^[A-Za-z][\w.-]*=[^=\s]/.test(text);

/** A quoted value, base64 between colons (RFC 9421, section 4.2), or a plain value. */
const PARAMETER_VALUE = /"((?:[^"\\]|\\.)*)(?:"|$)|:([\w+/-]+=*):(?=[,;\s]|$)|([^",;&\s]+)/;

/** The lookbehind prevents quadratic time on a long token. */
const PARAMETER = new RegExp(
  `(?<![\\w.-])([A-Za-z][\\w.-]*)[ \\t]*=[ \\t]*(?:${PARAMETER_VALUE.source})`,
  'g',
);

const PUBLIC_PARAMETERS = new Set(
  (
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid client_id ' +
    'clientname created credential date device deviceid domain email expires ext headers id iss keyid key_id kid ' +
    'method nc oauth_callback oauth_signature_method oauth_timestamp oauth_version oauth_consumer_id qop ' +
    'realm scope sig_method signature_method signature_version signedheaders t timestamp ts uri user userhash ' +
    'userid user_id username username* v ver version'
  ).split(' '),
);

function secretValues([, name = '', quoted, bytes, plain = '']: RegExpExecArray): string[] {
  if (bytes !== undefined) return [bytes];
  if (PUBLIC_PARAMETERS.has(name.toLowerCase())) return [];
  if (quoted !== undefined) return [quoted, quoted.replace(/\\(.)/g, '$1')];
  return [plain, plain.replace(/^.*=(?=[^=])/, '')];
}

/**
 * Lists the secret values of `name=value, name="value"`; quoted values also without escapes.
 * Returns undefined if the whole text may be a secret that only looks like parameters, because all
 * values are too short, or there is neither a value nor a scheme.
 */
function parameterSecrets(text: string, scheme: string): string[] | undefined {
  const values = [...text.matchAll(PARAMETER)].flatMap(secretValues);
  if (values.length === 0) return scheme === '' ? undefined : [];
  return values.every(({ length }) => length < MIN_SECRET_CHARS) ? undefined : values;
}

/** Counts the UTF-16 units of valid UTF-8, or the bytes of anything else. */
export function charactersOf(secret: string): number {
  const bytes = Buffer.from(secret, 'latin1');
  return isUtf8(bytes) ? bytes.toString().length : secret.length;
}
