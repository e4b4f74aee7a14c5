import type { Socket } from 'node:net';
import type { Classification, FailureName } from '@gatehouse/contracts';

/**
 * What contract section 3 makes of a fault: tried again when the method allows it, never
 * again, or no fault at all.
 */
export type Expected = Transient | Final | Success;

interface Transient {
  readonly fate: 'transient';
  readonly classification: Classification;
  readonly error: FailureName;
  readonly status?: number;
  readonly says?: RegExp;
  /** Before the second and the third attempt, in milliseconds. */
  readonly waits: readonly [number, number];
}

interface Final {
  readonly fate: 'final';
  readonly error: FailureName;
  readonly status?: number;
  readonly says?: RegExp;
}

interface Success {
  readonly fate: 'success';
  readonly body: unknown;
}

/**
 * Where a name leads while a fault of the way there lasts: nobody listens, nobody
 * accepts, or what a resolver says.
 */
type Lead = 'refusing' | 'stuck' | 'silent' | 'ENOTFOUND' | 'EAI_AGAIN';

export interface Fault {
  readonly name: string;
  readonly expected: Expected;
  /** For HEAD, whose responses end with their head, where that makes a difference. */
  readonly head?: Expected;
  readonly scheme?: 'http' | 'https';
  /** The fault lies in name resolution or on the way to the upstream. */
  readonly leads?: Lead;
  /** The fault meets the bare connection; returns what requests may then arrive on. */
  readonly connected?: (socket: Socket) => Socket | undefined;
  /** The fault is the answer to a request; no body belongs to a HEAD. */
  readonly asked?: (socket: Socket, hasBody: boolean) => void;
}

/**
 * Sent by every case as its credential, and echoed by faults where text can be; it must
 * not come back.
 */
export const SECRET = 'Zx81-secret-of-the-caller';

/** Under which silence is a fault. */
export const ATTEMPT_TIMEOUT_MS = 150;

const BACKOFF = [200, 400] as const;

const failure = (classification: Classification, error: FailureName, says: RegExp): Transient => ({
  fate: 'transient',
  classification,
  error,
  says,
  waits: BACKOFF,
});

export const UNCONNECTED = failure('connect', 'ConnectFailure', /Nothing was sent/);
/** Whether the request was sent before the connection broke is a matter of luck. */
export const BROKEN_AT_ONCE = failure(
  'connect',
  'ConnectFailure',
  /may have acted|Nothing was sent/,
);
/** May have been processed. */
export const BROKEN = failure('connect', 'ConnectFailure', /may have acted/);
export const RESOLVING_TIMED_OUT = failure(
  'timeout',
  'Timeout',
  new RegExp(`its name could not be resolved within ${ATTEMPT_TIMEOUT_MS} ms. Nothing was sent`),
);
export const CONNECTING_TIMED_OUT = failure(
  'timeout',
  'Timeout',
  new RegExp(`connected to within ${ATTEMPT_TIMEOUT_MS} ms. Nothing was sent`),
);
export const TIMED_OUT = failure(
  'timeout',
  'Timeout',
  new RegExp(`within ${ATTEMPT_TIMEOUT_MS} ms; it may have acted`),
);

export const transientStatus = (
  status: number,
  waits: readonly [number, number] = BACKOFF,
): Transient => ({
  fate: 'transient',
  classification: 'status',
  error: 'HttpFailure',
  status,
  waits,
});

export const NO_TLS: Final = { fate: 'final', error: 'ConnectFailure', says: /TLS/ };
export const MALFORMED: Final = { fate: 'final', error: 'RequestFailed' };
export const UNDECODABLE: Final = {
  fate: 'final',
  error: 'RequestFailed',
  status: 200,
  says: /content-encoding/,
};
export const TOO_LARGE: Final = { fate: 'final', error: 'ResponseTooLarge', status: 200 };
export const NOT_JSON: Final = { fate: 'final', error: 'ResponseNotJson', status: 200 };
export const finalStatus = (status: number): Final => ({
  fate: 'final',
  error: 'HttpFailure',
  status,
});

export const EMPTY: Success = { fate: 'success', body: null };
export const GOOD: Success = { fate: 'success', body: { good: true } };
