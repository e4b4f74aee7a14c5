import { type Fault, finalStatus, SECRET, transientStatus } from './fault.ts';

/** The wall clock at the first attempt; the following ones are a wait later each. */
export const NOW = new Date('2030-05-06T07:08:00.900Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toUTCString();

type Waits = readonly [number, number];
const BACKOFF: Waits = [200, 400];
const CAP: Waits = [2_000, 2_000];

/**
 * Values of `Retry-After` lines, and the waits that follow; what asks for no time to come
 * lengthens none.
 */
const RETRY_AFTER: [name: string, lines: readonly string[], waits: Waits][] = [
  ['without Retry-After', [], BACKOFF],
  ['in 0 s', ['0'], BACKOFF],
  ['in 1 s', ['1'], [1_000, 1_000]],
  ['in 5 s', ['5'], CAP],
  ['in 99999 s', ['99999'], CAP],
  ['at a date shorter away than the backoff', [inSeconds(0.1)], BACKOFF],
  ['at a date in 1.1 s', [inSeconds(1.1)], [1_100, 400]],
  ['at a date in an hour', [inSeconds(3_600)], CAP],
  ['at a past date', [inSeconds(-3_600)], BACKOFF],
  // RFC 9110, section 5.6.7: a recipient accepts the two obsolete forms of a date as
  // well.
  ['at a date of RFC 850', ['Monday, 06-May-30 08:08:00 GMT'], CAP],
  ['at a past date of RFC 850', ['Sunday, 06-Nov-94 08:49:37 GMT'], BACKOFF],
  ['at a date of asctime', ['Mon May  6 07:08:02 2030'], [1_100, 400]],
  ['garbage', ['soon, in 2099'], BACKOFF],
  ['negative', ['-5'], BACKOFF],
  ['decimal', ['1.5'], BACKOFF],
  // A field that may be there once says nothing when it is there twice.
  ['repeated', ['5', '5'], BACKOFF],
];

/** The body echoes the caller's credential. */
function answer(status: number, retryAfter: readonly string[]): NonNullable<Fault['asked']> {
  const body = JSON.stringify({ echo: `Bearer ${SECRET}` });
  const lines = [
    `HTTP/1.1 ${status} Trouble`,
    `content-length: ${body.length}`,
    ...retryAfter.map((value) => `Retry-After: ${value}`),
  ];
  return (socket, hasBody) => socket.write(`${lines.join('\r\n')}\r\n\r\n${hasBody ? body : ''}`);
}

const TRANSIENT = [429, 500, 502, 503, 504].flatMap((status) =>
  RETRY_AFTER.map(
    ([name, lines, waits]): Fault => ({
      name: `${status}, ${name}`,
      asked: answer(status, lines),
      expected: transientStatus(status, waits),
    }),
  ),
);

/**
 * The neighbours of 429 and of 5xx, which asking for patience does not make transient.
 */
const FINAL = [400, 404, 408, 425, 428, 430, 499, 600].map(
  (status): Fault => ({
    name: `${status}, in 1 s`,
    asked: answer(status, ['1']),
    expected: finalStatus(status),
  }),
);

const EDGES = [501, 599].map(
  (status): Fault => ({
    name: String(status),
    asked: answer(status, []),
    expected: transientStatus(status),
  }),
);

export const STATUS_FAULTS: readonly Fault[] = [...TRANSIENT, ...EDGES, ...FINAL];
