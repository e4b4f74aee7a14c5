/** Time limits for clients, after which their connections close. */
export const CLIENT_TIMES = {
  /** TLS handshake. The connection closes without a 408. */
  handshakeMs: 10_000,
  /** INVARIANT: below `requestMs`, because Node swaps the two otherwise. */
  headersMs: 15_000,
  /** First to last byte of a request. */
  requestMs: 30_000,
  /** Interval at which Node checks the two limits above. */
  checkMs: 5_000,
  /** Time to send the rest of a body after its reply (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** Time without reading any of the reply (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;
