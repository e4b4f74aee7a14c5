import type { ReceivedResponse } from '../attempt/result.ts';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import { Refusal } from '../errors.ts';
import type { Credential, CredentialHeader } from './credential.ts';
import { Unavailable } from './secret-file.ts';

interface Limits {
  readonly clock: Clock;
  /** Time limit in milliseconds. */
  readonly ms: number;
  readonly caller: AbortSignal;
}

/** Credential of one execution, read again for each attempt. */
export class Authentication {
  readonly #credential: Credential | undefined;
  readonly #used: CredentialHeader[] = [];
  #discarded = false;

  constructor(credential: Credential | undefined) {
    this.#credential = credential;
  }

  /** Credential headers of all attempts so far, whose secrets must be redacted. */
  get used(): readonly CredentialHeader[] {
    return this.#used;
  }

  /**
   * Returns the header for the next attempt. If the credential cannot be read again for a retry,
   * the retry uses the header of the previous attempt.
   * @throws {Refusal} `CredentialUnavailable`, before the first attempt.
   * @throws {Cancelled} when the caller has gone away.
   */
  async header(limits: Limits): Promise<CredentialHeader | undefined> {
    const credential = this.#credential;
    if (credential === undefined) return undefined;
    try {
      const header = await withDeadline(() => credential.header(), limits);
      if (header.value !== this.#used.at(-1)?.value) this.#used.push(header);
    } catch (error) {
      if (!(error instanceof Unavailable) && !(error instanceof DeadlineExceeded)) throw error;
      if (this.#used.length === 0) throw unavailable(credential, error);
    }
    return this.#used.at(-1);
  }

  /**
   * Discards the token if the upstream refused it. Returns true only the first time, because an
   * execution may request only one new token.
   */
  discardRefused({ status, authenticated }: ReceivedResponse): boolean {
    const { discard } = this.#credential ?? {};
    const refused = this.#used.at(-1);
    if (discard === undefined || refused === undefined) return false;
    if (status !== UNAUTHORIZED || !authenticated) return false;
    discard(refused);
    const isFirst = !this.#discarded;
    this.#discarded = true;
    return isFirst;
  }

  /** Tries to get a new token. Returns true if there now is one other than the refused token. */
  async renew(limits: Limits): Promise<boolean> {
    const refused = this.#used.at(-1);
    return (await this.header(limits)) !== refused;
  }
}

const UNAUTHORIZED = 401;

function unavailable({ name }: Credential, error: Error): Refusal {
  const reason =
    error instanceof Unavailable ? error.message : 'token did not arrive within the total time';
  return new Refusal(
    'CredentialUnavailable',
    `Nothing was sent, because the credential \`${name}\` is unavailable: its ${reason}. Send the action again later.`,
  );
}
