import { RETRIED_METHODS } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import { DeadlineExceeded, withDeadline } from '../deadline.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import {
  type ResponseHead,
  type Transport,
  TransportError,
  type WireRequest,
} from '../transport.ts';
import { BodyReader, type ReadBody } from './body-reader.ts';
import { attemptEnd, type Observer } from './observer.ts';
import { Progress } from './progress.ts';
import { nextHop } from './redirect.ts';
import {
  type AttemptFault,
  type AttemptResult,
  isSuccess,
  type ReceivedResponse,
} from './result.ts';

export interface AttemptDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly maxResponseBytes: number;
}

export interface AttemptOptions {
  readonly number: number;
  /** Time limit in milliseconds. */
  readonly ms: number;
  /** True after a connection fault, which an idle connection may have caused. */
  readonly newConnection: boolean;
  /** True to read an event stream as text. Otherwise a stream, which may never end, is a fault. */
  readonly readEvents: boolean;
  readonly signal: AbortSignal;
  readonly observe?: Observer;
  /** Headers for the upstream, unless the action sets `traceparent`. */
  readonly traceHeaders?: ReadonlyMap<string, string>;
}

/**
 * Sends a request, follows its redirects and reads the body up to its limit.
 * @throws {Cancelled} when the caller has gone away.
 */
export async function attempt(
  request: OutboundRequest,
  deps: AttemptDeps,
  options: AttemptOptions,
): Promise<AttemptResult> {
  const { method, url } = request;
  const watch = options.observe?.({ attempt: options.number, method, url });
  const started = deps.clock.now();
  let result: AttemptResult | undefined;
  try {
    const traced = withTrace(request, watch?.traceHeaders ?? options.traceHeaders);
    result = await sendInTime(traced, deps, options);
    return result;
  } finally {
    watch?.ended(attemptEnd(result, deps.clock.now() - started));
  }
}

function withTrace(
  request: OutboundRequest,
  trace: ReadonlyMap<string, string> | undefined,
): OutboundRequest {
  if (trace === undefined || trace.size === 0 || request.headers.has('traceparent')) return request;
  return { ...request, headers: new Map([...trace, ...request.headers]) };
}

interface Run extends AttemptDeps {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly connection: WireRequest['connection'];
  readonly readEvents: boolean;
}

async function sendInTime(
  request: OutboundRequest,
  deps: AttemptDeps,
  { ms, signal: caller, newConnection, readEvents }: AttemptOptions,
): Promise<AttemptResult> {
  const progress = new Progress();
  // The upstream may close an idle connection while we send. A request that is never retried
  // must not fail because of that, so it gets its own connection.
  const isRetried = RETRIED_METHODS.includes(request.method);
  const connection = isRetried ? (newConnection ? 'new' : 'any') : 'own';
  try {
    const work = (signal: AbortSignal) =>
      exchange(request, { ...deps, progress, signal, connection, readEvents });
    return { response: await withDeadline(work, { clock: deps.clock, ms, caller }) };
  } catch (error) {
    if (error instanceof DeadlineExceeded) {
      return { fault: timeoutFault(progress, ms) };
    }
    if (error instanceof TransportError) return { fault: attemptFault(error, progress) };
    throw error;
  }
}

async function exchange(request: OutboundRequest, run: Run): Promise<ReceivedResponse> {
  const { progress, sandbox } = run;
  progress.begin(request);
  const response = await receiveResponse(request, run);
  const hop = nextHop(request, response, progress.requests, sandbox);
  if (hop === undefined) return response;
  if (hop.kind === 'stop') return { ...response, notFollowed: hop.reason };
  try {
    return await exchange(hop.request, run);
  } catch (error) {
    if (!(error instanceof TransportError) || error.fault !== 'address') throw error;
    return { ...response, notFollowed: error.message };
  }
}

function receiveResponse(request: OutboundRequest, run: Run): Promise<ReceivedResponse> {
  const { transport, progress, signal, maxResponseBytes } = run;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let reader: BodyReader | undefined;
    const connection = mayLeaveBodyUnread(request) ? 'own' : run.connection;
    const abort = transport(
      { ...request, connection },
      {
        onStage: (stage) => progress.reached(stage),
        onHeaders: (head) => {
          const done = (body: ReadBody) => {
            abort();
            resolve({ ...head, body });
          };
          progress.streaming = request.method !== 'HEAD' && isEventStream(head);
          if (progress.streaming && !run.readEvents) {
            done({ bytes: Buffer.alloc(0), fault: 'event_stream' });
            return;
          }
          const coding = head.headers['content-encoding'];
          reader = new BodyReader(coding, maxResponseBytes, done);
        },
        onData: (bytes, resume) => reader?.write(bytes, resume) ?? true,
        onEnd: () => reader?.end(),
        onError: (error) => {
          reader?.destroy();
          reject(error);
        },
      },
    );
    signal.addEventListener('abort', () => {
      abort();
      reader?.destroy();
    });
  });
}

function isEventStream({ status, headers }: ResponseHead): boolean {
  const [type = ''] = [headers['content-type'] ?? ''].flat();
  return isSuccess(status) && /^\s*text\/event-stream\s*(?:;|$)/i.test(type);
}

/**
 * An upstream that ignores a body would read the body as the next request on the connection. Only
 * the body of a PUT is never ignored, so other bodies get their own connection.
 */
function mayLeaveBodyUnread({ method, body }: OutboundRequest): boolean {
  return body !== undefined && method !== 'PUT';
}

function timeoutFault(progress: Progress, ms: number): AttemptFault {
  const message = progress.timeoutMessage(ms);
  // Not transient: the upstream has accepted the request, and another stream would not end either.
  if (progress.streaming) return { error: 'Timeout', message };
  return { error: 'Timeout', classification: 'timeout', message };
}

function attemptFault({ fault, message: what }: TransportError, progress: Progress): AttemptFault {
  const message = `${what} ${progress.consequence()}`;
  switch (fault) {
    case 'connection':
      if (progress.streaming) return { error: 'ConnectFailure', message };
      return { error: 'ConnectFailure', classification: 'connect', message };
    case 'address':
      return { error: 'ConnectFailure', addressRefused: true, message: what };
    case 'certificate':
      return { error: 'ConnectFailure', message: `${message} Another attempt will not help.` };
    case 'protocol':
      return { error: 'RequestFailed', message };
  }
}
