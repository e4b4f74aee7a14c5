import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { problemOf } from './answers.ts';
import { type Deadline, DeadlineOver, withDeadline } from './deadline.ts';
import { GatehouseError, NoAnswerError, type NoAnswerReason, ProblemError } from './errors.ts';

/** Where a service is, and how to talk to it. */
export interface ServiceOptions {
  /** Absolute http or https URL, with or without a path in front of the service's own. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** Milliseconds for one call with its retries: 5,000 for policy, 65,000 for the executor. */
  readonly timeoutMs?: number | undefined;
  /**
   * Default: kept-alive connections of the client's own, and answers of at most 64 MiB. Bring
   * one for an authority or a certificate: `new Agent({ connect: { ca } })`.
   */
  readonly dispatcher?: Dispatcher | undefined;
}

/** What a call inherits from what caused it. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined;
  /** `x-request-id`, 1 to 128 visible ASCII characters; generated when absent. */
  readonly requestId?: string | undefined;
  /** W3C trace context. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** One operation of a service. */
export interface Operation<T> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Undefined: this is no answer of the operation. */
  readonly read: (document: unknown) => T | undefined;
  /** It changes nothing, and may be sent again. */
  readonly repeatable: boolean;
}

interface Answer {
  readonly status: number;
  readonly document: unknown;
  /** Undefined: the header is absent, or a date. */
  readonly retryAfterMs: number | undefined;
}

/** An outcome of a body of 10 MiB, and more where the limit of the executor was raised. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Waits before the second and the third try. */
const WAITS_MS = [100, 400];

/** Errors of connecting: no byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors that the next try may not meet. */
const PASSING = new Set([...NEVER_SENT, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);

/** Calls the operations of one service. */
export class Service {
  readonly #name: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;
  /** Closes the connections that are not shared, once their calls have ended. */
  readonly close: () => Promise<void>;

  /** @throws {TypeError} for a URL or a token that cannot be used. */
  constructor(name: string, timeoutMs: number, options: ServiceOptions) {
    this.#name = name;
    this.#base = baseUrl(options.url);
    this.#headers = bearer(options.token);
    this.#timeoutMs = options.timeoutMs ?? timeoutMs;
    const { dispatcher = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES }) } = options;
    this.#dispatcher = dispatcher;
    this.close = async () => {
      if (dispatcher !== options.dispatcher) await dispatcher.close();
    };
  }

  /**
   * @throws {ProblemError} when the service refused it, and did nothing.
   * @throws {NoAnswerError} when there is no answer that can be used.
   */
  async call<T>(operation: Operation<T>, options: CallOptions): Promise<T> {
    const ms = options.timeoutMs ?? this.#timeoutMs;
    const headers = { ...this.#headers, ...headersOf(operation, options) };
    try {
      return await withDeadline(ms, options.signal, (deadline) =>
        this.#tryInTurn(operation, headers, deadline),
      );
    } catch (error) {
      throw this.#errorOf(error, ms);
    }
  }

  async #tryInTurn<T>(
    operation: Operation<T>,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
  ): Promise<T> {
    for (let tries = 0; ; tries++) {
      const result = await this.#try(operation, headers, deadline);
      if (!(result instanceof Failed)) return result;
      const wait = result.wait ?? WAITS_MS[tries];
      const again = operation.repeatable && result.passing && tries < WAITS_MS.length;
      if (!again || wait === undefined || wait >= deadline.left()) throw result.error;
      await delay(wait, undefined, { signal: deadline.signal });
    }
  }

  async #try<T>(
    operation: Operation<T>,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
  ): Promise<T | Failed> {
    let answer: Answer;
    try {
      answer = await this.#exchange(operation, headers, deadline.signal);
    } catch (error) {
      return new Failed(error, PASSING.has(codeOf(error)));
    }
    const { status, document, retryAfterMs } = answer;
    const value = status === 200 ? operation.read(document) : undefined;
    if (value !== undefined) return value;
    const busy = status === 429 || status === 503;
    return new Failed(this.#refusal(answer), busy && retryAfterMs !== undefined, retryAfterMs);
  }

  async #exchange(
    { method, path, body }: Operation<unknown>,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const response = await request(`${this.#base}${path}`, {
      dispatcher: this.#dispatcher,
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    const { statusCode: status, headers: received } = response;
    const seconds = received['retry-after'] ?? '';
    const text = await response.body.text();
    return {
      status,
      document: parse(text),
      retryAfterMs: /^\d{1,6}$/.test(String(seconds)) ? Number(seconds) * 1_000 : undefined,
    };
  }

  /** A 4xx or 503 with a problem is a refusal; anything else leaves open what was done. */
  #refusal({ status, document }: Answer): GatehouseError {
    const problem = problemOf(document, status);
    if (problem !== undefined && (status < 500 || status === 503))
      return new ProblemError(this.#name, problem);
    const what =
      problem?.code ?? (document === NOT_JSON ? 'no JSON' : 'a document of an unknown form');
    const reason = status >= 500 ? 'failed' : 'unusable';
    return this.#noAnswer(reason, `answered with status ${status} and ${what}`, { problem });
  }

  #errorOf(error: unknown, ms: number): GatehouseError {
    if (error instanceof GatehouseError) return error;
    if (error instanceof DeadlineOver)
      return error.reason === 'timeout'
        ? this.#noAnswer('timeout', `did not answer within ${ms} ms`, { cause: error })
        : this.#noAnswer('aborted', 'was given up by its caller', { cause: error.cause });
    const code = codeOf(error);
    const maybeReceived = !NEVER_SENT.has(code);
    const what = `cannot be reached (${code || String(error)})`;
    return this.#noAnswer('unreachable', what, { cause: error, maybeReceived });
  }

  #noAnswer(
    reason: NoAnswerReason,
    what: string,
    details: Partial<Pick<NoAnswerError, 'cause' | 'maybeReceived' | 'problem'>>,
  ): NoAnswerError {
    const { maybeReceived = true } = details;
    const received = maybeReceived ? 'It may have received the request.' : 'Nothing was sent.';
    const message = `The ${this.#name} at ${this.#base} ${what}. ${received}`;
    return new NoAnswerError(message, { ...details, reason, maybeReceived });
  }
}

/** A try without an answer, and whether and when the next one may have one. */
class Failed {
  readonly error: unknown;
  readonly passing: boolean;
  readonly wait: number | undefined;

  constructor(error: unknown, passing: boolean, wait?: number) {
    this.error = error;
    this.passing = passing;
    this.wait = wait;
  }
}

const NOT_JSON = Symbol('not JSON');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function headersOf({ body }: Operation<unknown>, options: CallOptions): Record<string, string> {
  const { requestId = randomUUID(), traceparent, tracestate } = options;
  return {
    'x-request-id': requestId,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  };
}

function baseUrl(text: string): string {
  const { protocol, username, password, search, hash, href } = new URL(text);
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError('`url` must be an http or https URL without credentials, query, fragment.');
  return href.replace(/\/+$/, '');
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  if (token === undefined) return {};
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new TypeError('`token` must be visible ASCII characters, without spaces.');
  return { authorization: `Bearer ${token}` };
}
