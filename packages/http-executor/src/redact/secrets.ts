import type { CredentialHeader } from '../credentials/credential.ts';
import { MIN_SECRET_CHARS } from '../limits.ts';
import { latin1ToUtf8 } from '../text.ts';
import { cookieSecrets } from './cookies.ts';
import { percentDecoded } from './escapes.ts';

/** Maximum number of secrets per request. Searching for more secrets would delay other callers. */
export const MAX_SECRETS = 64;

/** Secrets found in the headers of one request. All strings are latin1, like header values. */
export interface RequestSecrets {
  /** Tokens, passwords, keys, signatures and session cookies. */
  readonly secrets: readonly string[];
  /** Full values of headers with secrets, because a response may repeat a full value in base64. */
  readonly headerValues: readonly string[];
}

/** Finds the secrets in request headers (docs/contract.md, "Redaction"). */
export function secretsOfRequest(
  headers: ReadonlyMap<string, string>,
  isCredential: (name: string) => boolean,
): RequestSecrets {
  const secrets = new Set<string>();
  const headerValues: string[] = [];
  for (const [name, value] of headers) {
    if (!isCredential(name)) continue;
    const written =
      name === 'cookie' ? cookieSecrets(value) : parseCredentials(name, value).flatMap(secretsOf);
    // An upstream may echo cookie values and OAuth 1.0 parameters in percent-decoded form.
    const candidates = written.flatMap((each) => [each, percentDecoded(each)]);
    const found = candidates.filter(isLongEnough);
    for (const secret of found) secrets.add(secret);
    if (found.length > 0) headerValues.push(value);
  }
  return { secrets: [...secrets], headerValues };
}

/** Lists the secrets in a credential header, and the operator's secret that it was built from. */
export function secretsOfCredential({ name, value, secret }: CredentialHeader): RequestSecrets {
  // The header holds a credential whatever its name.
  const { secrets, headerValues } = secretsOfRequest(new Map([[name, value]]), () => true);
  return { secrets: [...secrets, ...[secret].filter(isLongEnough)], headerValues };
}

export function joinSecrets(one: RequestSecrets, other: RequestSecrets): RequestSecrets {
  return {
    secrets: [...new Set([...one.secrets, ...other.secrets])],
    headerValues: [...new Set([...one.headerValues, ...other.headerValues])],
  };
}

const isLongEnough = (secret: string): boolean => charactersOf(secret) >= MIN_SECRET_CHARS;

interface WrittenCredential {
  /** Scheme in lower case, such as `bearer`, or an empty string. */
  readonly scheme: string;
  readonly rest: string;
}

/** Headers that may list several credentials, each with a scheme. */
const SCHEME_HEADER = /authori[sz]ation|authentication/;

const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)/.source;
/** Matches the separator and the start of the next credential, as in `, Bearer x`. */
const NEXT = /[,;][ \t]*[A-Za-z][\w-]*[ \t]+[^\s=,]/.source;
const LISTED = new RegExp(`(?:${QUOTED}|(?!${NEXT})[^"])+`, 'g');

function parseCredentials(header: string, value: string): WrittenCredential[] {
  if (SCHEME_HEADER.test(header))
    return [...value.matchAll(LISTED)].map(([listed]) => parseCredential(listed.trim()));
  const credential = parseCredential(value);
  // In `x-api-key: open sesame`, `open` may be a scheme or part of the secret. Cover both cases.
  return isParameters(credential.rest) ? [credential] : [credential, { scheme: '', rest: value }];
}

function parseCredential(text: string): WrittenCredential {
  const [, scheme = '', rest = ''] = /^(?:([\w!#$%&'*+.^`|~-]+)[ \t]+)?(.*)$/.exec(text) ?? [];
  return { scheme: scheme.toLowerCase(), rest };
}

/**
 * Lists the secret parts of a credential. The first of these forms that matches applies:
 * 1. `Negotiate` without a token: no secrets, because this header only starts a handshake;
 * 2. `Basic …`: the base64 text, and the password in it (or the user name, if that is an API key);
 * 3. parameters, such as `a=b, c="d"`: every value is a secret, except that of a public parameter,
 *    such as `realm`. The text after `Bearer` is a token, never parameters (RFC 6750);
 * 4. other text: the whole text, and the key if the text is `name:key`, plain or in base64.
 */
function secretsOf({ scheme, rest }: WrittenCredential): string[] {
  if (/^negotiate$/i.test(rest)) return [];
  if (scheme === 'basic') return [rest, basicSecret(rest)];
  if (scheme !== 'bearer' && isParameters(rest)) return parameterSecrets(rest, scheme !== '');
  return [rest, rest.slice(rest.lastIndexOf(':') + 1), ...keyInBase64(rest)];
}

/** Shorter passwords count as placeholders if the user name looks like an API key. */
const MIN_PASSWORD_CHARS = 6;

/**
 * Returns the password from `user:password`. Returns the user name if the password is missing or a
 * placeholder, such as GitHub's `x-oauth-basic`.
 */
function basicSecret(encoded: string): string {
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  const [, user = '', password = pair] = /^(.*?):(.*)$/s.exec(pair) ?? [];
  if (password === '' || password === 'x-oauth-basic') return user;
  const isKey = /^(?=.*\d)[\w.-]{16,}$/.test(user);
  return isKey && password.length < MIN_PASSWORD_CHARS ? user : password;
}

/** Matches `name:key`, the decoded credential of Elasticsearch's `ApiKey` scheme. */
const NAME_AND_KEY = /^[\w.@-]+:([\x21-\x7e]+)$/;

function keyInBase64(encoded: string): string[] {
  const [, key] = NAME_AND_KEY.exec(Buffer.from(encoded, 'base64').toString('latin1')) ?? [];
  return key === undefined ? [] : [key];
}

/** True for text that starts with `name=value`, but not for padded base64, such as `QUI=`. */
const isParameters = (text: string): boolean => /^[A-Za-z][\w.-]*=[^=\s]/.test(text);

/** Matches a quoted value, base64 between colons (RFC 9421, section 4.2), or a plain value. */
const PARAMETER_VALUE =
  /"(?<quoted>(?:[^"\\]|\\.)*)(?:"|$)|:(?<bytes>[\w+/-]+=*):(?=[,;\s]|$)|(?<plain>[^",;&\s]+)/;

/** The lookbehind prevents quadratic time on a long token. */
const PARAMETER = new RegExp(
  `(?<![\\w.-])(?<name>[A-Za-z][\\w.-]*)[ \\t]*=[ \\t]*(?:${PARAMETER_VALUE.source})`,
  'g',
);

const PUBLIC_PARAMETERS = new Set(
  (
    'accesskeyid accessid account accountid alg algorithm appid app_id aud client clientid client_id ' +
    'clientname created credential date device deviceid domain email expires ext headers id iss keyid key_id kid ' +
    'method nc nlauth_account nlauth_email nlauth_role oauth_callback oauth_signature_method oauth_timestamp oauth_version oauth_consumer_id qop ' +
    'realm scope se sig_method signature_method signature_version signedheaders skn sr t timestamp ts uri user userhash ' +
    'userid user_id username username* v ver version'
  ).split(' '),
);

/**
 * Lists the secrets in parameters such as `a=b, c="d"`:
 * 1. none, if a scheme such as `Digest` is followed only by public parameters, such as `realm`;
 * 2. the whole text, if all its secret values are too short to search for;
 * 3. otherwise, the values of all parameters that are not public.
 */
function parameterSecrets(text: string, hasScheme: boolean): string[] {
  const values = [...text.matchAll(PARAMETER)].flatMap(({ groups = {} }) => valuesOf(groups));
  const arePublic = values.length === 0 && hasScheme;
  return arePublic || values.some(isLongEnough) ? values : [text];
}

/** Lists the secrets in one parameter: none in `realm=x`, but the bytes in `realm=:eA==:`. */
function valuesOf({ name = '', quoted, bytes, plain = '' }: Record<string, string>): string[] {
  if (bytes !== undefined) return [bytes];
  if (PUBLIC_PARAMETERS.has(name.toLowerCase())) return [];
  if (quoted !== undefined) return [quoted, quoted.replace(/\\(.)/g, '$1')];
  return [plain, plain.replace(/^.*=(?=[^=])/, '')];
}

/** Counts the UTF-16 code units of a secret, or its bytes if the secret is not valid UTF-8. */
export const charactersOf = (secret: string): number => (latin1ToUtf8(secret) ?? secret).length;
