/** Time limits for clients, after which their connections close. */
export interface ClientTimes {
  /** TLS handshake. The connection closes without a 408. */
  readonly handshakeMs: number;
  /** INVARIANT: below `requestMs`, because Node swaps the two otherwise. */
  readonly headersMs: number;
  /** First to last byte of a request. */
  readonly requestMs: number;
  /** Interval at which Node checks the two limits above. */
  readonly checkMs: number;
  /** Time to send the rest of a body after its reply (docs/contract.md, "Bodies"). */
  readonly discardMs: number;
  /** Time without reading any of the reply (docs/contract.md, "Bounds"). */
  readonly readingMs: number;
}

export const CLIENT_TIMES: ClientTimes = {
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5_000,
  discardMs: 5_000,
  readingMs: 20_000,
};
