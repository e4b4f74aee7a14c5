import { type Dispatcher, request } from 'undici';

/** What a call inherits from the request that caused it. */
export interface Call {
  /** Request id and trace context. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

/** One operation of a service. */
export interface Target {
  /** For messages. */
  readonly name: string;
  readonly url: string;
  /** From connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Sent with every call; they win over those of the call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  /** The last sentence of an error: what to assume without a usable answer. */
  readonly consequence: (maybeReceived: boolean) => string;
}

export interface Answer {
  readonly status: number;
  readonly document: unknown;
}

/** A service gave no usable answer; the message says which, why, and what to assume. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Errors of connecting: no byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Posts a JSON document and reads a JSON answer of any status. Never retries.
 * @throws NoAnswer when none arrives in time.
 */
export async function postJson(target: Target, document: unknown, call: Call): Promise<Answer> {
  const deadline = AbortSignal.timeout(target.timeoutMs);
  const signal = AbortSignal.any([call.signal, deadline]);
  try {
    signal.throwIfAborted();
    // While undici connects it notices the signal late, so the signal races it.
    return await Promise.race([exchange(target, document, call, signal), rejectionBy(signal)]);
  } catch (error) {
    if (call.signal.aborted)
      throw noAnswer(target, 'was given up, because the caller went away', error);
    if (deadline.aborted)
      throw noAnswer(target, `did not answer within ${target.timeoutMs} ms`, error);
    throw foreign(target, error);
  }
}

async function exchange(
  target: Target,
  document: unknown,
  call: Call,
  signal: AbortSignal,
): Promise<Answer> {
  const { statusCode, body } = await request(target.url, {
    dispatcher: target.dispatcher,
    method: 'POST',
    headers: { ...call.headers, ...target.headers, 'content-type': 'application/json' },
    body: JSON.stringify(document),
    signal,
  });
  const text = await body.text();
  try {
    return { status: statusCode, document: JSON.parse(text) };
  } catch (error) {
    throw noAnswer(
      target,
      `answered with status ${statusCode} and something that is not JSON`,
      error,
    );
  }
}

/** The error for an answer that this operation never gives. */
export function unusable(target: Target, { status, document }: Answer): NoAnswer {
  const { code } = Object(document) as { code?: unknown };
  const what = typeof code === 'string' ? code : 'a document of the wrong form';
  return noAnswer(target, `answered with status ${status} and ${what}`);
}

/** Turns what undici and Node throw into a `NoAnswer`. */
function foreign(target: Target, error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return noAnswer(
    target,
    `cannot be reached (${code || String(error)})`,
    error,
    !NEVER_SENT.has(code),
  );
}

function noAnswer(
  { name, url, consequence }: Target,
  what: string,
  cause?: unknown,
  maybeReceived = true,
): NoAnswer {
  return new NoAnswer(`The ${name} at ${url} ${what}. ${consequence(maybeReceived)}`, { cause });
}

function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
