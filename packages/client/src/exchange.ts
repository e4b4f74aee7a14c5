import { type Dispatcher, request } from 'undici';

/** One operation of a service. */
export interface Operation<T> {
  readonly path: string;
  /** With one it is a POST, else a GET. */
  readonly body?: unknown;
  /** Takes the document and the text that it was read from; undefined: this is no answer. */
  readonly read: (document: unknown, text: Buffer) => T | undefined;
  /** Default: `MAX_ANSWER_BYTES`. */
  readonly maxBytes?: number;
  /** It changes nothing, and may be sent again. */
  readonly repeatable: boolean;
}

/** What came back, whatever its status. */
export interface Answer {
  readonly status: number;
  readonly document: unknown;
  readonly text: Buffer;
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
  readonly maxBytes: number;
}

/** An outcome of a body of 10 MiB, and more where the limit of the executor was raised. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** An answer has more bytes than its operation may. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/** The deadline of the call is the one limit: undici's own of 300 s would end longer ones. */
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0 };

/** One exchange with a service; rejects with what undici and Node throw. */
export async function exchange({ url, maxBytes, ...sent }: Sent): Promise<Answer> {
  const response = await request(url, { ...sent, ...UNTIMED });
  const { statusCode: status, headers: received } = response;
  const seconds = received['retry-after'] ?? '';
  const text = await upTo(maxBytes, response.body);
  return {
    status,
    document: parseAnswer(text),
    text,
    retryAfterMs: /^\d{1,6}$/.test(String(seconds)) ? Number(seconds) * 1_000 : undefined,
  };
}

/** Throwing ends the exchange, whatever is still to come. @throws {AnswerTooLarge} */
async function upTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLarge(`answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** In place of a document. */
export const NOT_JSON = Symbol('not JSON');

function parseAnswer(text: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(text));
  } catch {
    return NOT_JSON;
  }
}

/** The code of an error; empty when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
