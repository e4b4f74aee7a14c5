/** Time limits for clients, after which their connections close. */
export const CLIENT_TIMES = {
  /** Time for the TLS handshake, after which the connection closes without a 408. */
  handshakeMs: 10_000,
  /** Time for the headers. INVARIANT: less than `requestMs`, or Node would swap the two times. */
  headersMs: 15_000,
  /** Time from the first to the last byte of a request. */
  requestMs: 30_000,
  /** Interval at which Node checks the two limits above. */
  checkMs: 5_000,
  /** Time for a client to finish sending its body after the reply (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** Time for which a client may leave its reply unread (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;
