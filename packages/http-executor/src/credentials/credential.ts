import type { CredentialSource } from '@gatehouse/contracts';
import { readSecret } from './secret-file.ts';
import { type OAuthSource, type TokenDeps, TokenEndpoint } from './token-endpoint.ts';

/** A header that authenticates a request. Both `value` and `secret` are latin1 strings. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  readonly secret: string;
}

/** Authenticates requests to a destination (docs/contract.md, "Credentials"). */
export interface Credential {
  readonly name: string;
  /** Lower-case name of the header for the credential. An action must not set this header. */
  readonly headerName: string;
  /** Returns a header that contains the secret or a valid token. @throws {Unavailable} */
  header(): Promise<CredentialHeader>;
  /** Discards a token that an upstream refused. Only OAuth credentials have tokens to discard. */
  readonly discard?: (refused: CredentialHeader) => void;
}

/** Creates a credential that reads its secret from the file at `secretPath`. */
export function openCredential(
  name: string,
  source: CredentialSource,
  { secretPath, ...deps }: TokenDeps & { readonly secretPath: string },
): Credential {
  const headerName = source.type === 'header' ? source.name.toLowerCase() : 'authorization';
  if (source.type !== 'oauth2_client_credentials') {
    const header = async () => {
      const secret = readSecret(secretPath);
      const value = headerValue(source, secret);
      return { name: headerName, value, secret: toLatin1(secret) };
    };
    return { name, headerName, header };
  }
  const endpoint = new TokenEndpoint(source, secretPath, deps);
  return {
    name,
    headerName,
    header: async () => {
      const secret = await endpoint.token();
      return { name: headerName, value: `${BEARER}${secret}`, secret };
    },
    discard: ({ secret }) => endpoint.discard(secret),
  };
}

const BEARER = 'Bearer ';

function headerValue(source: Exclude<CredentialSource, OAuthSource>, secret: string): string {
  switch (source.type) {
    case 'bearer':
      return `${BEARER}${toLatin1(secret)}`;
    case 'basic':
      return `Basic ${Buffer.from(`${source.username}:${secret}`).toString('base64')}`;
    case 'header':
      // Servers drop spaces around a header value, so redaction must search for the trimmed value.
      return toLatin1(secret.replace(/^ +| +$/g, ''));
  }
}

/** Turns each UTF-8 byte into one character, because Node writes header values as latin1. */
const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
