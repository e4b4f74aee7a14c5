/** How long a client may take; then its connection closes. */
export interface ClientTimes {
  /** Closes without 408. Node's default is two minutes. */
  readonly handshakeMs: number;
  /** INVARIANT: below that of the request; Node swaps the two otherwise. */
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** How often Node looks for headers and requests that are late. */
  readonly checkMs: number;
  /** For the rest of a body after its reply (contract, section 1). */
  readonly droppingMs: number;
  /** Without taking any of its reply (contract, section 3). */
  readonly readingMs: number;
}

export const CLIENT_TIMES: ClientTimes = {
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5_000,
  droppingMs: 5_000,
  readingMs: 20_000,
};
