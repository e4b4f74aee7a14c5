import type { Classification, FailureName, HttpRetryRecord, Method } from '@gatehouse/contracts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { ResponseHead, Stage, TransportError } from '../transport.ts';
import type { ReadBody } from './decompress.ts';

export interface ReceivedResponse extends ResponseHead {
  readonly body: ReadBody;
  /** Sentence that says why a redirect was not followed. */
  readonly notFollowed?: string;
  /** False if a redirect led to another origin or destination, which must not get a credential. */
  readonly authenticated: boolean;
}

/** Reason why an attempt got no response. `classification` is set only if a retry may succeed. */
export interface AttemptFault {
  readonly error: Extract<FailureName, 'ConnectFailure' | 'Timeout' | 'RequestFailed'>;
  readonly message: string;
  readonly classification?: Classification | undefined;
  /** True if the sandbox refused the address, so this attempt sent nothing. */
  readonly addressRefused?: boolean;
}

export type AttemptResult =
  | { readonly response: ReceivedResponse }
  | { readonly fault: AttemptFault };

/** A failure after which another attempt may succeed. */
export type TransientFailure = Pick<HttpRetryRecord, 'classification' | 'status'>;

export function transientFailure(result: AttemptResult): TransientFailure | undefined {
  if ('response' in result) {
    const { status } = result.response;
    const isTransient = status === 429 || (status >= 500 && status <= 599);
    return isTransient ? { classification: 'status', status } : undefined;
  }
  const { classification } = result.fault;
  return classification === undefined ? undefined : { classification };
}

export interface AttemptStart {
  readonly attempt: number;
  readonly method: Method;
  readonly url: URL;
  /** Host of the chosen destination or allowlist entry, such as `*.example.com`. */
  readonly listedHost: string;
}

/**
 * End of an attempt. `classification` names a transient failure, such as `timeout`, or is one of:
 * - `answered`: the response is final;
 * - `failed`: there was a fault that a retry would not fix, such as a bad certificate;
 * - `refused`: the sandbox refused the address;
 * - `cancelled`: the caller has disconnected.
 */
export interface AttemptEnd {
  readonly classification: Classification | 'answered' | 'failed' | 'refused' | 'cancelled';
  readonly status?: number;
  /** Size of the response body after decompression, or 0 if there was no response. */
  readonly bytes: number;
  readonly duration_ms: number;
}

export interface AttemptWatch {
  /** Trace headers to send, unless the action sets `traceparent`. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
  ended(end: AttemptEnd): void;
}

/** Called before each attempt, for metrics and traces. */
export type Observer = (start: AttemptStart) => AttemptWatch;

export function attemptEnd(result: AttemptResult | undefined, duration_ms: number): AttemptEnd {
  if (result === undefined) return { classification: 'cancelled', bytes: 0, duration_ms };
  const bytes = 'response' in result ? result.response.body.bytes.length : 0;
  const transient = transientFailure(result);
  if (transient !== undefined) return { ...transient, bytes, duration_ms };
  if ('response' in result)
    return { classification: 'answered', status: result.response.status, bytes, duration_ms };
  const classification = result.fault.addressRefused === true ? 'refused' : 'failed';
  return { classification, bytes, duration_ms };
}

/** Tracks the progress of an attempt and its redirects, for fault messages. */
export class Progress {
  /** Requests begun so far. Until the attempt ends, the last request in the list is in progress. */
  readonly requests: OutboundRequest[] = [];
  readonly #sent: OutboundRequest[] = [];
  streaming = false;
  #stage: Stage = 'connecting';

  begin(request: OutboundRequest): void {
    this.requests.push(request);
    this.#stage = 'connecting';
  }

  /** Records the stage that the request in progress has reached. */
  reached(stage: Stage): void {
    this.#stage = stage;
    if (stage === 'sending') this.#sent.push(...this.requests.slice(-1));
  }

  timeoutFault(ms: number): AttemptFault {
    const message = this.#timeoutMessage(`within ${Math.round(ms)} ms`);
    // Do not retry an endless event stream, because the next stream would not end either.
    const classification = this.streaming ? undefined : 'timeout';
    return { error: 'Timeout', classification, message };
  }

  transportFault({ fault, message: what }: TransportError): AttemptFault {
    const message = `${what} ${this.#consequence()}`;
    switch (fault) {
      case 'connection':
        if (this.streaming) return { error: 'ConnectFailure', message };
        return { error: 'ConnectFailure', classification: 'connect', message };
      case 'address':
        return { error: 'ConnectFailure', addressRefused: true, message: what };
      case 'certificate':
        return { error: 'ConnectFailure', message: `${message} Another attempt will not help.` };
      case 'protocol':
        return { error: 'RequestFailed', message };
    }
  }

  #timeoutMessage(within: string): string {
    const host = this.#host();
    const consequence = this.#consequence();
    switch (this.#stage) {
      case 'resolving':
        return `${host} cannot be reached: the host name could not be resolved ${within}. ${consequence}`;
      case 'connecting':
        return `${host} did not accept a connection ${within}. ${consequence}`;
      case 'sending':
        return this.streaming
          ? `${host} accepted the request, but its event stream did not end ${within}.`
          : `${host} did not send its whole response ${within}; ${consequence.replace(/^It/, 'it')}`;
    }
  }

  /** Says which hosts may have acted on the request, including hosts that redirected it. */
  #consequence(): string {
    const hosts = new Set(this.#sent.map(hostOf));
    if (hosts.size === 0) return 'Nothing was sent.';
    const alone = hosts.size === 1 && hosts.has(this.#host());
    return `${alone ? 'It' : [...hosts].join(' and ')} may have acted on the request.`;
  }

  #host(): string {
    return this.requests.slice(-1).map(hostOf).join('');
  }
}

const hostOf = ({ url }: OutboundRequest) => `\`${url.host}\``;
