/** Time limits after which the connection of a slow client is closed. */
export const CLIENT_TIMES = {
  /** Time for the TLS handshake. A slower client is disconnected without a 408. */
  handshakeMs: 10_000,
  /** Time for the headers. INVARIANT: less than `requestMs`, or Node would swap the two limits. */
  headersMs: 15_000,
  /** Time from the first to the last byte of a request. */
  requestMs: 30_000,
  /** Interval at which Node checks `headersMs` and `requestMs`. */
  checkMs: 5_000,
  /** Time for a client to send the rest of a body after our reply (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** How long a client may leave its reply unread (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;
