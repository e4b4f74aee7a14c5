import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Health, SERVICE_PATHS } from '@gatehouse/contracts';
import { Agent, type Dispatcher, request } from 'undici';
import { unlessAborted } from './abort.ts';
import { readAnswer, readerFor, readProblemAnswer } from './answers.ts';
import { GatehouseError, NoAnswerError, type NoAnswerReason, ProblemError } from './errors.ts';
import { exactJson } from './exact-json.ts';
import {
  baseUrl,
  bearer,
  type CallOptions,
  callHeaders,
  checkedTimeout,
  type ServiceOptions,
} from './options.ts';

interface Operation<T, Body> {
  readonly path: string;
  /** JSON body of a POST. Without a body, the request is a GET. */
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Status of a usable response. Default: 200. */
  readonly status?: number;
  /** Returns the result of a usable response, or undefined if it is invalid for `body`. */
  readonly read: (document: unknown, body: Body, headers: IncomingHttpHeaders) => T | undefined;
  /** Size limit for a response. The default, 64 MiB, suits an executor with default limits. */
  readonly maxBytes?: number;
  /** True if the operation changes nothing and is therefore safe to retry. */
  readonly repeatable: boolean;
}

export interface ServiceKind {
  readonly name: string;
  /** True if calls can have effects, so that an error says whether the call may have arrived. */
  readonly hasEffects: boolean;
  readonly timeoutMs: number;
  /** @throws if the body cannot be parsed */
  readonly parse: (text: Buffer) => unknown;
}

export const HEALTH = { path: SERVICE_PATHS.health, read: readerFor(Health), repeatable: true };

type Sent = NonNullable<Parameters<typeof request>[1]> & { readonly signal: AbortSignal };

/** Milliseconds to wait before the second and the third try. */
const WAITS_MS = [100, 400];

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Error codes that prove that no byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export class Service {
  readonly #kind: ServiceKind;
  readonly #base: string;
  readonly #token: ReturnType<typeof bearer>;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;
  // By default, undici would end a call after 300 s, even if `timeoutMs` is longer.
  readonly #own = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  /** Waits for calls in flight, and then closes the client's own connections. */
  readonly close = async () => {
    if (!this.#own.closed) await this.#own.close();
  };

  /** @throws {TypeError} if the URL, the token or the time limit is invalid. */
  constructor(kind: ServiceKind, options: ServiceOptions) {
    this.#kind = kind;
    this.#base = baseUrl(options.url);
    this.#token = bearer(options.token);
    this.#timeoutMs = checkedTimeout(options.timeoutMs ?? kind.timeoutMs);
    this.#dispatcher = options.dispatcher ?? this.#own;
  }

  /**
   * @throws {ProblemError} if the service refused the call and did nothing.
   * @throws {NoAnswerError} if the service gave no usable answer.
   */
  async call<T, Body>(operation: Operation<T, Body>, options: CallOptions = {}): Promise<T> {
    const { signal: caller } = options;
    const { ms, ...sent } = this.#prepare(operation, options);
    const limit = AbortSignal.timeout(ms);
    const signal = caller === undefined ? limit : AbortSignal.any([limit, caller]);
    const tries = () => this.#withRetries(operation, { ...sent, signal }, ms);
    try {
      // Reject immediately, because undici is slow to notice an abort while it connects.
      return await unlessAborted(signal, tries);
    } catch (cause) {
      if (cause instanceof GatehouseError) throw cause;

      if (caller?.aborted)
        throw this.#noAnswer('aborted', 'did not answer before the caller cancelled', { cause });

      if (limit.aborted) throw this.#noAnswer('timeout', `did not answer within ${ms} ms`);

      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      const what = `cannot be reached (${code || String(cause)})`;
      throw this.#noAnswer('unreachable', what, { cause, maybeReceived: !NEVER_SENT.has(code) });
    }
  }

  #prepare(
    operation: Pick<Operation<unknown, unknown>, 'body' | 'headers'>,
    { signal, timeoutMs, ...ids }: CallOptions,
  ) {
    const unsent = { maybeReceived: false, cause: signal?.reason };
    const cancelled = 'was not called, because the request had already been cancelled';
    if (signal?.aborted) throw this.#noAnswer('aborted', cancelled, unsent);

    try {
      if (this.#own.closed) throw new TypeError('the client is closed; create a new client');

      const ms = checkedTimeout(timeoutMs ?? this.#timeoutMs);
      const headers = { ...this.#token, ...callHeaders(ids), ...operation.headers };
      if (!('body' in operation)) return { ms, headers, method: 'GET' as const };

      for (const [name, value] of Object.entries(operation.headers ?? {}))
        if (value !== undefined && !/^[!-~]+$/.test(value))
          throw new TypeError(`\`${name}\` must be visible ASCII characters, without spaces`);
      const typed = { ...headers, 'content-type': 'application/json' };
      return { ms, headers: typed, method: 'POST' as const, body: exactJson(operation.body) };
    } catch (cause) {
      const what = `was not called: ${(cause as Error).message.replace(/\.$/, '')}`;
      throw this.#noAnswer('unsendable', what, { ...unsent, cause });
    }
  }

  async #withRetries<T, B>(operation: Operation<T, B>, sent: Sent, ms: number): Promise<T> {
    const waits = operation.repeatable ? [...WAITS_MS] : [];
    const deadline = performance.now() + ms;
    for (;;) {
      try {
        return await this.#try(operation, sent);
      } catch (error) {
        const backoff = waits.shift();
        const wait = error instanceof GatehouseError ? error.retryAfterMs : backoff;
        const msLeft = deadline - performance.now();
        if (backoff === undefined || wait === undefined || wait >= msLeft) throw error;

        await delay(wait, undefined, { signal: sent.signal });
      }
    }
  }

  async #try<T, Body>(operation: Operation<T, Body>, sent: Sent): Promise<T> {
    const { path, read, status: usable = 200, maxBytes = MAX_ANSWER_BYTES } = operation;
    const where = { dispatcher: this.#dispatcher };
    const response = await request(`${this.#base}${path}`, { ...sent, ...where });
    const { statusCode: status, headers, body } = response;
    const text = await readAnswer(maxBytes, body);
    if (text === undefined)
      throw this.#noAnswer('unusable', `answered with more than ${maxBytes} bytes`);

    const document = await Promise.resolve(text)
      .then(this.#kind.parse)
      .catch(() => undefined);
    const value = status === usable ? read(document, operation.body as Body, headers) : undefined;
    if (value !== undefined) return value;

    throw this.#toError(status, document, String(headers['retry-after']));
  }

  /** Returns a `ProblemError` for a refusal: a problem document with status 4xx or 503. */
  #toError(status: number, document: unknown, retryAfter: string): GatehouseError {
    const busy = (status === 429 || status === 503) && /^\d{1,6}$/.test(retryAfter);
    const retryAfterMs = busy ? Number(retryAfter) * 1_000 : undefined;
    const problem = readProblemAnswer(document, status);
    if (problem !== undefined && (status < 500 || status === 503))
      return new ProblemError(this.#kind.name, problem, retryAfterMs);
    const what = problem?.code ?? 'an unexpected body';
    const reason = status >= 500 ? 'failed' : 'unusable';
    const details = { problem, retryAfterMs };
    return this.#noAnswer(reason, `answered with status ${status} and ${what}`, details);
  }

  #noAnswer(reason: NoAnswerReason, what: string, details: Partial<NoAnswerError> = {}) {
    const { maybeReceived = true, ...more } = details;
    const { name, hasEffects } = this.#kind;
    const received = maybeReceived ? ' It may have received the request.' : ' Nothing was sent.';
    const message = `The ${name} at ${this.#base} ${what}.${hasEffects ? received : ''}`;
    return new NoAnswerError(message, { ...more, reason, maybeReceived });
  }
}
