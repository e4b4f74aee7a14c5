import { failure, type Result, success } from '@gatehouse/contracts';
import { type Deadline, DeadlineExceeded, withDeadline } from '../clock.ts';
import { Refusal } from '../errors.ts';
import { joinSecrets, NO_SECRETS, type Secrets } from '../secrets/secrets.ts';
import type { Credential, CredentialHeader, Secret, Unavailable } from './credential.ts';
import { credentialsOnHost, type Upstreams } from './upstreams.ts';

/** Credential that the executor adds to a request, and secrets that must not reach the caller. */
export interface AddedCredential {
  readonly header: CredentialHeader | undefined;
  /** Lists the secrets that were sent, and those of all destinations on the given hosts. */
  readonly secretsOf: (hostnames: readonly string[]) => Secrets;
}

/** Credential of one execution. All attempts send the same header until an upstream refuses it. */
export class Authentication {
  readonly #credential: Credential | undefined;
  readonly #upstreams: Upstreams;
  /** Headers sent so far, the newest last. */
  readonly #sent: CredentialHeader[] = [];
  #mustRenew = false;

  constructor(credential: Credential | undefined, upstreams: Upstreams) {
    this.#credential = credential;
    this.#upstreams = upstreams;
  }

  /**
   * Returns the credential for the next attempt, or why there is none.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async next(timeLeft: Deadline): Promise<Result<AddedCredential, Unavailable>> {
    const credential = this.#credential;
    if (credential !== undefined && (this.#sent.length === 0 || this.#mustRenew)) {
      const header = await obtain(credential, timeLeft);
      if (!header.ok) return header;

      if (header.value.value === this.#sent.at(-1)?.value)
        return failure(ofCredential(credential, REFUSED));

      this.#sent.push(header.value);
      this.#mustRenew = false;
    }
    return success({
      header: this.#sent.at(-1),
      secretsOf: (hostnames) => this.secretsOf(hostnames),
    });
  }

  /** Discards a token that got a 401. Returns true if this execution may fetch a new token. */
  discard({ outcome }: Received): boolean {
    const refused = this.#sent.at(-1);
    if (refused === undefined || !('response' in outcome)) return false;
    const { status, mayAuthenticate } = outcome.response;
    if (status !== 401 || !mayAuthenticate) return false;
    const isDiscarded = this.#credential?.discard(refused) === true;
    // An execution can renew its token only once.
    this.#mustRenew = isDiscarded && this.#sent.length === 1;
    return this.#mustRenew;
  }

  /** Lists the secrets that were sent, and those of all destinations on the given hosts. */
  secretsOf(hostnames: readonly string[]): Secrets {
    if (this.#upstreams.credentials.size === 0) return NO_SECRETS;
    const others = hostnames.flatMap((hostname) => credentialsOnHost(this.#upstreams, hostname));
    const all = new Set<Secret>([...this.#sent, ...others.flatMap((each) => each.current())]);
    return [...all].map(({ secrets }) => secrets).reduce(joinSecrets, NO_SECRETS);
  }
}

interface Received {
  readonly outcome:
    | { readonly response: { readonly status: number; readonly mayAuthenticate: boolean } }
    | { readonly fault: object };
}

const REFUSED = { reason: 'new token is the one that the upstream refused' };

async function obtain(
  credential: Credential,
  timeLeft: Deadline,
): Promise<Result<CredentialHeader, Unavailable>> {
  try {
    const header = await withDeadline(() => credential.header(), timeLeft);
    return header.ok ? header : failure(ofCredential(credential, header.reason));
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    return failure(ofCredential(credential, TOO_SLOW));
  }
}

const TOO_SLOW = { reason: 'token did not arrive within the total time limit' };

/** Completes the reason, so that it names the credential. */
function ofCredential({ name }: Credential, unavailable: Unavailable): Unavailable {
  const reason = `the credential \`${name}\` is unavailable: its ${unavailable.reason}`;
  return { ...unavailable, reason };
}

const ADVICE = {
  later: 'Send the action again later.',
  operator: 'Ask an operator to correct it, because sending the action again will not help.',
};

/** Refuses an action whose credential is unavailable. */
export function credentialRefusal({ reason, advice = 'later', retryAfterS }: Unavailable): Refusal {
  const detail = `Nothing was sent, because ${reason}. ${ADVICE[advice]}`;
  return new Refusal('CredentialUnavailable', detail, retryAfterS);
}
