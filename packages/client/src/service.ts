import { setTimeout as delay } from 'node:timers/promises';
import { Health, SERVICE_PATHS } from '@gatehouse/contracts';
import { Agent, type Dispatcher, request } from 'undici';
import { unlessAborted } from './abort.ts';
import { problemOf, readerOf } from './answers.ts';
import { GatehouseError, NoAnswerError, type NoAnswerReason, ProblemError } from './errors.ts';
import {
  baseUrl,
  bearer,
  type CallOptions,
  callHeaders,
  type ServiceOptions,
  timeoutOf,
} from './options.ts';

/** One operation of a service. */
export interface Operation<T> {
  readonly path: string;
  /** Sent as JSON by POST; without it the request is a GET. */
  readonly body?: unknown;
  /** Reads the document of a 200; undefined: it is not an answer to this operation. */
  readonly read: (document: unknown) => T | undefined;
  /** Default: 64 MiB, above any outcome of an executor with its default limits. */
  readonly maxBytes?: number;
  /** It changes nothing, so that it may be sent again. */
  readonly repeatable: boolean;
}

/** One kind of service. */
export interface ServiceKind {
  /** For messages. */
  readonly name: string;
  /** Default time limit of a call. */
  readonly timeoutMs: number;
  /** The value of a body. @throws for a body that it does not accept */
  readonly parse: (text: Buffer) => unknown;
}

/** The operation that every service has. */
export const HEALTH = { path: SERVICE_PATHS.health, read: readerOf(Health), repeatable: true };

/** The request that every try of a call sends. */
type Sent = NonNullable<Parameters<typeof request>[1]> & { readonly signal: AbortSignal };

/** Waits before the second and the third try. */
const WAITS_MS = [100, 400];

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Errors of connecting: no byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls the operations of one service. */
export class Service {
  readonly #kind: ServiceKind;
  readonly #base: string;
  readonly #token: ReturnType<typeof bearer>;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;
  /** Closes the connections that are not shared, once their calls have ended. */
  readonly close: () => Promise<void>;

  /** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
  constructor(kind: ServiceKind, options: ServiceOptions) {
    this.#kind = kind;
    this.#base = baseUrl(options.url);
    this.#token = bearer(options.token);
    this.#timeoutMs = timeoutOf(options.timeoutMs ?? kind.timeoutMs);
    // undici's own limits of 300 s would end calls with a longer one.
    const own = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
    this.#dispatcher = options.dispatcher ?? own;
    this.close = async () => {
      if (!own.closed) await own.close();
    };
  }

  /**
   * @throws {ProblemError} when the service refused the call, and did nothing.
   * @throws {NoAnswerError} when there is no answer that can be used.
   */
  async call<T>(operation: Operation<T>, options: CallOptions = {}): Promise<T> {
    const { signal: caller } = options;
    const { ms, ...sent } = this.#prepare(operation, options);
    const limit = AbortSignal.timeout(ms);
    const signal = caller === undefined ? limit : AbortSignal.any([limit, caller]);
    const tries = () => this.#tryInTurn(operation, { ...sent, signal }, ms);
    try {
      // undici notices an abort late while it connects.
      return await unlessAborted(signal, tries);
    } catch (cause) {
      if (cause instanceof GatehouseError) throw cause;
      if (caller?.aborted) throw this.#noAnswer('aborted', 'was given up by its caller', { cause });
      if (limit.aborted) throw this.#noAnswer('timeout', `did not answer within ${ms} ms`);
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      const what = `cannot be reached (${code || String(cause)})`;
      throw this.#noAnswer('unreachable', what, { cause, maybeReceived: !NEVER_SENT.has(code) });
    }
  }

  /** Finds what is wrong with the call itself before anything is sent. */
  #prepare({ body }: Operation<unknown>, { signal, timeoutMs, ...ids }: CallOptions) {
    const unsent = { maybeReceived: false, cause: signal?.reason };
    if (signal?.aborted)
      throw this.#noAnswer('aborted', 'was not asked: its caller had given up', unsent);
    try {
      const ms = timeoutOf(timeoutMs ?? this.#timeoutMs);
      const headers = { ...this.#token, ...callHeaders(ids) };
      if (body === undefined) return { ms, headers, method: 'GET' as const };
      const typed = { ...headers, 'content-type': 'application/json' };
      return { ms, headers: typed, method: 'POST' as const, body: JSON.stringify(body) };
    } catch (cause) {
      const what = `was not asked: ${(cause as Error).message.replace(/\.$/, '')}`;
      throw this.#noAnswer('unsendable', what, { ...unsent, cause });
    }
  }

  async #tryInTurn<T>(operation: Operation<T>, sent: Sent, ms: number): Promise<T> {
    const waits = operation.repeatable ? [...WAITS_MS] : [];
    for (;;) {
      try {
        return await this.#try(operation, sent);
      } catch (error) {
        const backoff = waits.shift();
        const wait = error instanceof GatehouseError ? error.retryAfterMs : backoff;
        if (backoff === undefined || wait === undefined || wait >= ms) throw error;
        await delay(wait, undefined, { signal: sent.signal });
      }
    }
  }

  async #try<T>(operation: Operation<T>, sent: Sent): Promise<T> {
    const { path, read, maxBytes = MAX_ANSWER_BYTES } = operation;
    const where = { dispatcher: this.#dispatcher };
    const response = await request(`${this.#base}${path}`, { ...sent, ...where });
    const { statusCode: status, headers, body } = response;
    const text = await upTo(maxBytes, body);
    if (text === undefined)
      throw this.#noAnswer('unusable', `answered with more than ${maxBytes} bytes`);
    const document = this.#parsed(text);
    const value = status === 200 ? read(document) : undefined;
    if (value !== undefined) return value;
    throw this.#refusal(status, document, String(headers['retry-after']));
  }

  /** Undefined, which no text stands for: the body cannot be parsed. */
  #parsed(text: Buffer): unknown {
    try {
      return this.#kind.parse(text);
    } catch {
      return undefined;
    }
  }

  /** A 4xx or 503 with a problem is a refusal; anything else leaves open what was done. */
  #refusal(status: number, document: unknown, retryAfter: string): GatehouseError {
    const busy = (status === 429 || status === 503) && /^\d{1,6}$/.test(retryAfter);
    const retryAfterMs = busy ? Number(retryAfter) * 1_000 : undefined;
    const problem = problemOf(document, status);
    if (problem !== undefined && (status < 500 || status === 503))
      return new ProblemError(this.#kind.name, problem, retryAfterMs);
    const what = problem?.code ?? 'a document of an unknown form';
    const reason = status >= 500 ? 'failed' : 'unusable';
    const details = { problem, retryAfterMs };
    return this.#noAnswer(reason, `answered with status ${status} and ${what}`, details);
  }

  #noAnswer(
    reason: NoAnswerReason,
    what: string,
    details: Partial<NoAnswerError> = {},
  ): NoAnswerError {
    const { maybeReceived = true, ...more } = details;
    const received = maybeReceived ? 'It may have received the request.' : 'Nothing was sent.';
    const message = `The ${this.#kind.name} at ${this.#base} ${what}. ${received}`;
    return new NoAnswerError(message, { ...more, reason, maybeReceived });
  }
}

/** Undefined for a larger body, the rest of which is not read. */
async function upTo(maxBytes: number, body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
