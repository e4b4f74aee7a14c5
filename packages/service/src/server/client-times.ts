/** Time limits after which the connection of a slow client is closed. */
export const CLIENT_TIMES = {
  /** Time limit for the TLS handshake. A slower client is disconnected without a 408 response. */
  handshakeMs: 10_000,
  /** INVARIANT: `headersMs` is less than `requestMs`. Node swaps the two if they are reversed. */
  headersMs: 15_000,
  requestMs: 30_000,
  /** Interval at which Node checks `headersMs` and `requestMs`. */
  checkMs: 5_000,
  /** Time limit for reading the rest of a body after our reply (docs/contract.md, "Bodies"). */
  discardMs: 5_000,
  /** How long a client may leave its reply unread (docs/contract.md, "Bounds"). */
  readingMs: 20_000,
};

export type ClientTimes = Readonly<typeof CLIENT_TIMES>;
