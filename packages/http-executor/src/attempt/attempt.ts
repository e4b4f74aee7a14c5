import type { Redirect } from '@gatehouse/contracts';
import type { MemoryShare } from '../admission/memory.ts';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import type { AddedCredential } from '../credentials/authentication.ts';
import type { CredentialHeader } from '../credentials/credential.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import {
  isSuccess,
  type ResponseHead,
  type Transport,
  TransportError,
  type WireRequest,
  type WireResponse,
} from '../wire.ts';
import { Progress } from './progress.ts';
import { describeRedirect, type Hop, nextHop } from './redirect.ts';
import { type AttemptResult, attemptEnd, type Observer, type ReceivedResponse } from './result.ts';

export interface AttemptOptions {
  readonly number: number;
  /** Time limit for the attempt, in milliseconds. */
  readonly ms: number;
  readonly clock: Clock;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly observe?: Observer | undefined;
  /** Called when the first byte of a request is about to be sent. */
  readonly onSending?: () => void;
  /** Size limit for the body of the response. */
  readonly maxBytes: number;
  /** Memory for the body, which may have to wait for other executions. */
  readonly memory: MemoryShare;
}

/** Sends a request, follows redirects and reads the body up to the limit. @throws {Cancelled} */
export async function attempt(
  request: OutboundRequest,
  credential: AddedCredential,
  transport: Transport,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const { method, url, route } = request;
  const { number, clock, observe } = options;
  const listedHost = route.destination.host.text;
  const watch = observe?.({ attempt: number, method, url, listedHost });
  const started = clock.now();
  let result: AttemptResult | undefined;
  try {
    const trace = request.headers.has('traceparent') ? undefined : watch?.traceHeaders;
    const headers = trace?.size ? new Map([...trace, ...request.headers]) : request.headers;
    const first = { ...request, headers, mayAuthenticate: true };
    result = await sendInTime(first, credential, transport, options);
    return result;
  } finally {
    watch?.ended(attemptEnd(result, clock.now() - started));
  }
}

async function sendInTime(
  first: Hop & Pick<OutboundRequest, 'shape'>,
  credential: AddedCredential,
  transport: Transport,
  { clock, ms, signal: caller, maxBytes, memory, onSending }: AttemptOptions,
): Promise<AttemptResult> {
  const progress = new Progress();
  const redirects: Redirect[] = [];
  const exchange = (hop: Hop, signal: AbortSignal) =>
    transport(wireRequestOf(hop, credential.header), {
      ...{ signal, maxBytes, reserve: (bytes) => progress.reserve(bytes, memory) },
      onSending: () => {
        onSending?.();
        progress.sending();
      },
      refuseBody: (head) => {
        progress.streaming = hop.method !== 'HEAD' && isEventStream(head);
        return progress.streaming && (first.shape.responseType ?? 'json') === 'json'
          ? 'event_stream'
          : undefined;
      },
    });
  const ended = (outcome: AttemptResult['outcome']): AttemptResult => {
    const { hops, maybeSent } = progress;
    return { outcome, redirects, hosts: hops.map(({ url }) => url.hostname), maybeSent };
  };
  try {
    const follow = (signal: AbortSignal) =>
      followRedirects(first, credential, { exchange, signal, progress, redirects });
    return ended({ response: await withDeadline(follow, { clock, ms, caller }) });
  } catch (error) {
    if (error instanceof DeadlineExceeded) return ended({ fault: progress.timeoutFault(ms) });

    if (error instanceof TransportError) return ended({ fault: progress.transportFault(error) });

    throw error;
  }
}

interface Journey {
  readonly exchange: (hop: Hop, signal: AbortSignal) => Promise<WireResponse>;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly redirects: Redirect[];
}

/** Sends a request and follows its redirects. Returns the first response that is not followed. */
async function followRedirects(
  first: Hop,
  { secretsOf }: AddedCredential,
  { exchange, signal, progress, redirects }: Journey,
): Promise<ReceivedResponse> {
  let hop = first;
  let before: ReceivedResponse | undefined;
  for (;;) {
    progress.hops.push(hop);
    const received = await exchange(hop, signal).catch((error: unknown) => {
      if (before !== undefined && error instanceof TransportError && error.fault === 'address')
        return error;
      throw error;
    });
    if (received instanceof TransportError) {
      redirects.pop();
      return { ...(before as ReceivedResponse), notFollowed: received.message };
    }

    const response = { ...received, mayAuthenticate: hop.mayAuthenticate };
    const next = await nextHop(hop, response, progress.hops, secretsOf);
    if (next === undefined) return response;

    if (!next.ok) return { ...response, notFollowed: next.reason };

    redirects.push(describeRedirect(response.status, hop, next.value));
    before = response;
    hop = next.value;
  }
}

const isEventStream = ({ status, headers }: ResponseHead): boolean =>
  isSuccess(status) && /^text\/event-stream\s*(?:;|$)/i.test(String(headers['content-type']));

/** Adds the credential and the client certificate if `mayAuthenticate` is true. */
function wireRequestOf(hop: Hop, credential: CredentialHeader | undefined): WireRequest {
  const { method, url, headers, body, mayAuthenticate, route } = hop;
  const tls = route.upstreams.tls.get(route.destination);
  if (!mayAuthenticate) {
    const withoutIdentity = tls && { ...tls, identity: undefined };
    return { method, url, headers, body, tls: withoutIdentity };
  }
  if (credential === undefined) return { method, url, headers, body, tls };
  const authenticated = new Map(headers).set(credential.name, credential.value);
  return { method, url, headers: authenticated, body, tls };
}
