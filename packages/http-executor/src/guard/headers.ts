import type { ResponseType, Violation } from '@gatehouse/contracts';
import { headerKey, pointerToHeader } from '@gatehouse/contracts/action';
import type { Credential } from '../credentials/credential.ts';

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
