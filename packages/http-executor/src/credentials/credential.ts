import type { Result } from '@gatehouse/contracts';
import { type Secrets, secretsOfCredential } from '../secrets/secrets.ts';

/** A header that authenticates a request. Strings are latin1, like all header values. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  /** Texts that must not reach a caller. */
  readonly secrets: Secrets;
}

/** Creates a header from its value, and from the secret that the value was built from. */
export function credentialHeader(name: string, value: string, secret: string): CredentialHeader {
  return { name, value, secrets: secretsOfCredential({ name, value, secret }) };
}

/** Why a credential has no header at the moment. */
export interface Unavailable {
  /** Completes "the credential `x` is unavailable: its …", as in "secret file is empty". */
  readonly reason: string;
  /** Seconds until it makes sense to try again. */
  readonly retryAfterS?: number;
  /** `operator` if sending the action again cannot help. Default: `later`. */
  readonly advice?: 'later' | 'operator';
}

/** Authenticates requests to a destination (docs/destinations.md, "Credentials"). */
export interface Credential {
  readonly name: string;
  /** Lower-case name of the header for the credential. An action must not set this header. */
  readonly headerName: string;
  /**
   * Returns a header with the secret or a valid token, and the same object while it is unchanged.
   * @throws {Cancelled} when the executor was closed.
   */
  header(): Promise<Result<CredentialHeader, Unavailable>>;
  /**
   * Discards a token that an upstream refused. Returns true if the token is no longer in use, so
   * that `header()` can return another one.
   */
  discard(refused: CredentialHeader): boolean;
  /** Lists what must not reach a caller now, without fetching a token. */
  current(): readonly Secret[];
}

/** Texts that must not reach a caller: those of a header, or a client secret. */
export type Secret = Pick<CredentialHeader, 'secrets'>;

/** Turns each UTF-8 byte into one character, because Node writes header values as latin1. */
export const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
