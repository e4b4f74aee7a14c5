import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher } from 'undici';
import { objectOf, problemOf } from './answers.ts';
import { type Deadline, DeadlineOver, withDeadline } from './deadline.ts';
import { GatehouseError, NoAnswerError, type NoAnswerReason, ProblemError } from './errors.ts';
import {
  type Answer,
  AnswerTooLarge,
  codeOf,
  exchange,
  MAX_ANSWER_BYTES,
  NEVER_SENT,
  NOT_JSON,
  type Operation,
  PASSING,
  type Sent,
} from './exchange.ts';
import {
  baseUrl,
  bearer,
  type CallOptions,
  callHeaders,
  type ServiceOptions,
  timeoutOf,
} from './options.ts';

/** Waits before the second and the third try. */
const WAITS_MS = [100, 400];

/** What every try of a call sends. */
type Prepared = Pick<Sent, 'method' | 'headers' | 'body'>;

/** Calls the operations of one service. */
export class Service {
  readonly #name: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #dispatcher: Dispatcher;
  /** Closes the connections that are not shared, once their calls have ended. */
  readonly close: () => Promise<void>;

  /** @throws {TypeError} for a URL, a token or a time limit that cannot be used. */
  constructor(name: string, timeoutMs: number, options: ServiceOptions) {
    this.#name = name;
    this.#base = baseUrl(options.url);
    this.#headers = bearer(options.token);
    this.#timeoutMs = timeoutOf(options.timeoutMs ?? timeoutMs);
    const { dispatcher = new Agent() } = options;
    this.#dispatcher = dispatcher;
    let closed: Promise<void> | undefined;
    this.close = async () => {
      if (dispatcher !== options.dispatcher) closed ??= dispatcher.close();
      await closed;
    };
  }

  /** Any document; throws as `call`. */
  get<T extends object>(path: string, options?: CallOptions): Promise<T> {
    return this.call({ path, read: objectOf<T>, repeatable: true }, options);
  }

  /**
   * @throws {ProblemError} when the service refused it, and did nothing.
   * @throws {NoAnswerError} when there is no answer that can be used.
   */
  async call<T>(operation: Operation<T>, options: CallOptions = {}): Promise<T> {
    const { ms, ...prepared } = this.#prepare(operation, options);
    try {
      return await withDeadline(ms, options.signal, (deadline) =>
        this.#tryInTurn(operation, prepared, deadline),
      );
    } catch (error) {
      throw this.#errorOf(error, ms);
    }
  }

  /** What is wrong with a call itself is found before anything is sent. */
  #prepare({ body }: Operation<unknown>, options: CallOptions) {
    const unsent = { maybeReceived: false, cause: options.signal?.reason };
    if (options.signal?.aborted)
      throw this.#noAnswer('aborted', 'was not asked: its caller had given up', unsent);
    try {
      const headers = { ...this.#headers, ...callHeaders(body !== undefined, options) };
      const ms = timeoutOf(options.timeoutMs ?? this.#timeoutMs);
      if (body === undefined) return { ms, headers, method: 'GET' as const, body: null };
      return { ms, headers, method: 'POST' as const, body: JSON.stringify(body) };
    } catch (cause) {
      const what = `was not asked: ${(cause as Error).message.replace(/\.$/, '')}`;
      throw this.#noAnswer('unsendable', what, { ...unsent, cause });
    }
  }

  async #tryInTurn<T>(operation: Operation<T>, prepared: Prepared, deadline: Deadline): Promise<T> {
    for (let tries = 0; ; tries++) {
      const result = await this.#try(operation, prepared, deadline);
      if (!(result instanceof Failed)) return result;
      const wait = result.wait ?? WAITS_MS[tries];
      const again = operation.repeatable && result.passing && tries < WAITS_MS.length;
      if (!again || wait === undefined || wait >= deadline.left()) throw result.error;
      await delay(wait, undefined, { signal: deadline.signal });
    }
  }

  async #try<T>(
    operation: Operation<T>,
    prepared: Prepared,
    deadline: Deadline,
  ): Promise<T | Failed> {
    let answer: Answer;
    try {
      const { path, maxBytes = MAX_ANSWER_BYTES } = operation;
      const where = { dispatcher: this.#dispatcher, url: `${this.#base}${path}` };
      answer = await exchange({ ...prepared, ...where, maxBytes, signal: deadline.signal });
    } catch (error) {
      return new Failed(error, PASSING.has(codeOf(error)));
    }
    const { status, document, text, retryAfterMs } = answer;
    const value =
      status === 200 && document !== NOT_JSON ? operation.read(document, text) : undefined;
    if (value !== undefined) return value;
    const busy = status === 429 || status === 503;
    return new Failed(this.#refusal(answer), busy && retryAfterMs !== undefined, retryAfterMs);
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
    if (error instanceof AnswerTooLarge)
      return this.#noAnswer('unusable', error.message, { cause: error });
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
