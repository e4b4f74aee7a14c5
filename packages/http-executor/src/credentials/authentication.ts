import type { ReceivedResponse } from '../attempt/result.ts';
import { type Deadline, DeadlineExceeded, withDeadline } from '../clock.ts';
import { Refusal } from '../errors.ts';
import type { Credential, CredentialHeader } from './credential.ts';
import { Unavailable } from './secret-file.ts';

/** Credential of one execution. All attempts send the same header until an upstream refuses it. */
export class Authentication {
  readonly #credential: Credential | undefined;
  /** Credential headers sent so far, whose secrets must be redacted. */
  readonly used: CredentialHeader[] = [];
  /** Reason why the secret or token could not be read or renewed. */
  unavailableReason: string | undefined;

  constructor(credential: Credential | undefined) {
    this.#credential = credential;
  }

  /**
   * Returns the header for the next attempt.
   * @throws {Refusal} `CredentialUnavailable` if the first attempt cannot get a secret or token.
   * @throws {Cancelled} when the caller has disconnected.
   */
  async header(deadline: Deadline): Promise<CredentialHeader | undefined> {
    if (this.used.length === 0) await this.obtain(deadline);
    const header = this.used.at(-1);
    if (header !== undefined || this.unavailableReason === undefined) return header;
    const reason = `Nothing was sent, because ${this.unavailableReason}. Send the action again later.`;
    throw new Refusal('CredentialUnavailable', reason);
  }

  /** Discards a token that got a 401. Returns true if this execution may fetch a new token. */
  discardIfRefused({ status, mayAuthenticate }: ReceivedResponse): boolean {
    const { discard } = this.#credential ?? {};
    const refused = this.used.at(-1);
    if (discard === undefined || refused === undefined) return false;
    if (status !== 401 || !mayAuthenticate) return false;
    discard(refused);
    // An execution can renew its token only once.
    return this.used.length === 1;
  }

  /** Tries to get a secret or token. Returns true if the secret or token is a new one. */
  async obtain(deadline: Deadline): Promise<boolean> {
    const credential = this.#credential;
    if (credential === undefined) return false;
    try {
      const header = await withDeadline(() => credential.header(), deadline);
      if (header.value === this.used.at(-1)?.value) return false;
      this.used.push(header);
      return true;
    } catch (error) {
      let reason = 'token did not arrive within the total time limit';
      if (error instanceof Unavailable) reason = error.message;
      else if (!(error instanceof DeadlineExceeded)) throw error;
      this.unavailableReason = `the credential \`${credential.name}\` is unavailable: its ${reason}`;
      return false;
    }
  }
}
