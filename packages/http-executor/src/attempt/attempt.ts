import { RETRIED_METHODS } from '@gatehouse/contracts';
import { type Clock, DeadlineExceeded, withDeadline } from '../clock.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import {
  type ResponseHead,
  type Transport,
  TransportError,
  type WireRequest,
} from '../transport.ts';
import { Progress } from './progress.ts';
import { nextHop } from './redirect.ts';
import type {
  AttemptEnd,
  AttemptResult,
  Observer,
  ReceivedResponse,
  TransientFailure,
} from './result.ts';

export interface AttemptDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly maxResponseBytes: number;
}

export interface AttemptOptions {
  readonly number: number;
  readonly ms: number;
  /** If true, the attempt opens a new connection. Set to true after a connection failure. */
  readonly newConnection: boolean;
  /** True to read event streams, false to report them as failures because they may never end. */
  readonly readEvents: boolean;
  readonly signal: AbortSignal;
  readonly observe?: Observer;
}

/** Sends a request, follows redirects and reads the body up to the limit. @throws {Cancelled} */
export async function attempt(
  request: OutboundRequest,
  deps: AttemptDeps,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const { method, url, route } = request;
  const listedHost = route.destination.host.text;
  const watch = options.observe?.({ attempt: options.number, method, url, listedHost });
  const started = deps.clock.now();
  let result: AttemptResult | undefined;
  try {
    const trace = request.headers.has('traceparent') ? undefined : watch?.traceHeaders;
    const headers = trace?.size ? new Map([...trace, ...request.headers]) : request.headers;
    result = await sendInTime({ ...request, headers }, deps, options);
    return result;
  } finally {
    watch?.ended(attemptEnd(result, deps.clock.now() - started));
  }
}

function attemptEnd(result: AttemptResult | undefined, duration_ms: number): AttemptEnd {
  if (result === undefined) return { classification: 'cancelled', bytes: 0, duration_ms };
  const bytes = 'response' in result ? result.response.body.bytes.length : 0;
  const transient = transientFailure(result);
  if (transient !== undefined) return { ...transient, bytes, duration_ms };
  if ('response' in result)
    return { classification: 'answered', status: result.response.status, bytes, duration_ms };
  const classification = result.fault.addressRefused === true ? 'refused' : 'failed';
  return { classification, bytes, duration_ms };
}

export function transientFailure(result: AttemptResult): TransientFailure | undefined {
  if ('response' in result) {
    const { status } = result.response;
    const isTransient = status === 429 || (status >= 500 && status <= 599);
    return isTransient ? { classification: 'status', status } : undefined;
  }
  const { classification } = result.fault;
  return classification === undefined ? undefined : { classification };
}

interface Run extends AttemptDeps, Pick<AttemptOptions, 'signal' | 'readEvents'> {
  readonly progress: Progress;
  readonly mayReuse: boolean;
}

async function sendInTime(
  request: OutboundRequest,
  deps: AttemptDeps,
  { ms, signal: caller, newConnection, readEvents }: AttemptOptions,
): Promise<AttemptResult> {
  const progress = new Progress();
  // The upstream may close an idle connection just as we reuse it. So open a new connection for a
  // request that is never retried.
  const mayReuse = RETRIED_METHODS.includes(request.method) && !newConnection;
  try {
    const work = (signal: AbortSignal) =>
      followRedirects(request, { ...deps, progress, signal, mayReuse, readEvents });
    return { response: await withDeadline(work, { clock: deps.clock, ms, caller }) };
  } catch (error) {
    if (error instanceof DeadlineExceeded) return { fault: progress.timeoutFault(ms) };
    if (error instanceof TransportError) return { fault: progress.transportFault(error) };
    throw error;
  }
}

/** Sends a request and follows its redirects. Returns the first response that is not followed. */
async function followRedirects(request: OutboundRequest, run: Run): Promise<ReceivedResponse> {
  const { progress } = run;
  progress.begin(request);
  const { mayAuthenticate } = request;
  const response = { ...(await receiveResponse(request, run)), mayAuthenticate };
  const hop = nextHop(request, response, progress.requests);
  if (hop === undefined) return response;
  if ('notFollowed' in hop) return { ...response, ...hop };
  try {
    return await followRedirects(hop.next, run);
  } catch (error) {
    if (!(error instanceof TransportError) || error.fault !== 'address') throw error;
    return { ...response, notFollowed: error.message };
  }
}

function receiveResponse(request: OutboundRequest, run: Run) {
  const { transport, progress, signal, maxResponseBytes: maxBytes } = run;
  return transport(toWire(request, run.mayReuse), {
    signal,
    maxBytes,
    onStage: (stage) => progress.reached(stage),
    refuseBody: (head) => {
      progress.streaming = request.method !== 'HEAD' && isEventStream(head);
      return progress.streaming && !run.readEvents ? 'event_stream' : undefined;
    },
  });
}

const isEventStream = ({ status, headers }: ResponseHead): boolean =>
  isSuccess(status) && /^text\/event-stream\s*(?:;|$)/i.test(String(headers['content-type']));

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Adds the credential and the client certificate if `mayAuthenticate` is true. */
function toWire(request: OutboundRequest, mayReuse: boolean): WireRequest {
  const { method, url, headers, body, credential, mayAuthenticate, route } = request;
  // An upstream that does not read a request's body may parse the body as the next request on the
  // same connection. Reuse a connection only after a request without a body or after a PUT, whose
  // body upstreams normally read.
  const isBodyRead = body === undefined || method === 'PUT';
  const tls = route.upstreams.tls.get(route.destination);
  const wire = { method, url, headers, body, mayReuse: mayReuse && isBodyRead, tls };
  if (!mayAuthenticate) return { ...wire, tls: tls && { ...tls, identity: undefined } };
  if (credential === undefined) return wire;
  return { ...wire, headers: new Map(headers).set(credential.name, credential.value) };
}
