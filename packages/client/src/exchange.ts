import { type Dispatcher, request } from 'undici';

/** One operation of a service. */
export interface Operation<T> {
  readonly path: string;
  /** With one it is a POST, else a GET. */
  readonly body?: unknown;
  /** Undefined: this is no answer of the operation. */
  readonly read: (document: unknown) => T | undefined;
  /** It changes nothing, and may be sent again. */
  readonly repeatable: boolean;
}

/** What came back, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly document: unknown;
  /** Undefined: the header is absent, or a date. */
  readonly retryAfterMs: number | undefined;
}

/** Errors of connecting: no byte of the request was sent. */
export const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors that the next try may not meet. */
export const PASSING = new Set([
  ...NEVER_SENT,
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);

/** A request to a URL. */
export interface Sent {
  readonly dispatcher: Dispatcher;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
}

/** The deadline of the call is the one limit: undici's own of 300 s would end longer ones. */
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0 };

/** One exchange with a service; rejects with what undici and Node throw. */
export async function exchange({ url, ...sent }: Sent): Promise<Answer> {
  const response = await request(url, { ...sent, ...UNTIMED });
  const { statusCode: status, headers: received } = response;
  const seconds = received['retry-after'] ?? '';
  const text = await response.body.text();
  return {
    status,
    document: parseAnswer(text),
    retryAfterMs: /^\d{1,6}$/.test(String(seconds)) ? Number(seconds) * 1_000 : undefined,
  };
}

/** In place of a document. */
export const NOT_JSON = Symbol('not JSON');

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

/** The code of an error; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
