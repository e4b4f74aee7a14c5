import {
  ACTION_LIMITS,
  HEADER_NAME,
  HEADER_VALUE,
  MAX_VIOLATION_CHARS,
  pointerToken,
  type ResponseType,
  type Violation,
} from '@gatehouse/contracts';

import type { Credential } from '../credentials/credential.ts';
import { headerKey, reasonToRefuse } from '../destinations/header.ts';
import { shorten } from '../text.ts';

const MAX_TOTAL_BYTES = 32 * 1024;

interface ReadHeaders {
  readonly headers: Map<string, string>;
  readonly violations: Violation[];
}

/** Reads the headers of an action (docs/executor-security.md, "Request headers"). */
export function readHeaders(headers: Readonly<Record<string, string>>): ReadHeaders {
  const entries = Object.entries(headers);
  const beyond = limitViolation(entries);
  if (beyond !== undefined) return { headers: new Map(), violations: [beyond] };

  const read = new Map<string, string>();
  const violations: Violation[] = [];
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    const message = read.has(lower)
      ? 'appears twice with different capitalization; send it once'
      : headerViolation(lower, value);
    if (message !== undefined) violations.push({ pointer: pointerToHeader(name), message });
    read.set(lower, value.trim());
  }
  return { headers: read, violations };
}

/** Reads the headers of an action, even if the action does not match its schema. */
export function readActionHeaders(action: unknown): ReadHeaders {
  const { headers } = (action ?? {}) as { headers?: unknown };
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  const texts = Object.entries(isObject ? headers : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return readHeaders(Object.fromEntries(texts));
}

/** Reports headers that an action must not set, because the executor adds a credential. */
export function credentialViolations(
  headers: Readonly<Record<string, string>> | null | undefined,
  credential: Credential | undefined,
  hasHiddenSecrets: boolean,
): Violation[] {
  const violations: Violation[] = [];
  for (const name of Object.keys(headers ?? {})) {
    const add = (message: string) => violations.push({ pointer: pointerToHeader(name), message });
    if (credential !== undefined && isHeaderOf(credential, name))
      add(
        `must not be set, because the executor adds the credential \`${credential.name}\`; leave the header out`,
      );
    if (hasHiddenSecrets && headerKey(name) === 'range')
      add(
        'must not be set, because the executor could not find a credential that a range of the body cuts in two; leave the header out',
      );
  }
  return violations;
}

/** True if `name` is the credential's header, in any capitalization and with either `-` or `_`. */
export const isHeaderOf = ({ headerName }: Credential, name: string): boolean =>
  headerKey(name) === headerKey(headerName);

function limitViolation(entries: readonly [string, string][]): Violation | undefined {
  const { headers: most, headerValueBytes } = ACTION_LIMITS;
  if (entries.length > most)
    return { pointer: '/headers', message: `must have at most ${most} headers` };
  const long = entries.find(([, value]) => value.length > headerValueBytes);
  const message = `must have a value of at most ${headerValueBytes} bytes`;
  if (long !== undefined) return { pointer: pointerToHeader(long[0]), message };
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (bytes <= MAX_TOTAL_BYTES) return undefined;
  return { pointer: '/headers', message: `must have at most ${MAX_TOTAL_BYTES} bytes in total` };
}

function pointerToHeader(name: string): string {
  const token = pointerToken(name.slice(0, MAX_VIOLATION_CHARS));
  return shorten(`/headers/${token}`, MAX_VIOLATION_CHARS);
}

/** Matches schemes that authenticate a connection instead of a request. */
const CONNECTION_SCHEME = /^\s*(?:negotiate|ntlm)(?:\s|$)/i;

function headerViolation(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return "must have a name that contains only letters, digits and !#$%&'*+-.^_`|~";
  if (name === 'authorization' && CONNECTION_SCHEME.test(value))
    return 'must not use the scheme Negotiate or NTLM, which authenticates a connection that others may reuse';
  const reason = reasonToRefuse(name);
  if (reason !== undefined) return `must not be set, because ${reason}; leave it out`;
  return HEADER_VALUE.test(value)
    ? undefined
    : 'must have a value that contains only visible ASCII, spaces and tabs';
}

const ACCEPTED: Readonly<Record<ResponseType, string>> = {
  json: 'application/json',
  text: '*/*',
  base64: '*/*',
  auto: 'application/json, */*;q=0.9',
};

/** Leaves out `deflate`, which some servers send without its zlib header. */
const ACCEPTED_CODINGS = 'gzip, br';

/** Matches the parameter of `accept` that asks for a charset, as in `text/plain;charset=utf-32`. */
const ACCEPTED_CHARSET = /;\s*charset\s*=[^;,]*/gi;

export const withoutCharset = (accept: string): string => accept.replace(ACCEPTED_CHARSET, '');

/** Some servers refuse requests without a user agent. */
const DEFAULT_USER_AGENT = 'gatehouse-executor';

/**
 * Adds the executor's own headers. With a credential of the executor, the body must arrive in a
 * form in which the credential can be found (docs/executor-security.md, "Request headers").
 */
export function addDefaultHeaders(
  headers: Map<string, string>,
  { contentType, type, hasHiddenSecrets }: DefaultsFor,
): void {
  if (contentType !== undefined) headers.set('content-type', contentType);
  if (!headers.has('accept')) headers.set('accept', ACCEPTED[type]);
  if (!headers.has('user-agent')) headers.set('user-agent', DEFAULT_USER_AGENT);
  if (hasHiddenSecrets) {
    headers.delete('accept-charset');
    headers.set('accept', withoutCharset(String(headers.get('accept'))));
  }
  // A server may cut a range out of the compressed bytes, and such a part cannot be decompressed.
  const isIdentity = !hasHiddenSecrets && headers.get('accept-encoding') === 'identity';
  const coding = headers.has('range') || isIdentity ? 'identity' : ACCEPTED_CODINGS;
  headers.set('accept-encoding', coding);
}

interface DefaultsFor {
  /** Undefined if no body is sent. */
  readonly contentType: string | undefined;
  readonly type: ResponseType;
  /** True if the host belongs to a destination with a credential of the executor. */
  readonly hasHiddenSecrets: boolean;
}
