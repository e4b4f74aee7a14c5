import { type Classification, type FailureName, RETRIED_METHODS } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import {
  type ResponseHead,
  type Transport,
  TransportError,
  type WireRequest,
} from '../transport.ts';
import { BodyReader, type ReadBody } from './body-reader.ts';
import type { BodyTurns } from './body-turns.ts';
import { DeadlineExceeded, type OnAbort, withDeadline } from './deadline.ts';
import { bodySoFar, isEventStream } from './event-stream.ts';
import { Progress } from './progress.ts';
import { nextHop } from './redirect.ts';

/** A response with its body, after redirects. */
export interface ReceivedResponse extends ResponseHead {
  readonly body: ReadBody;
  /** Why a redirect was not followed, as a sentence. */
  readonly notFollowed?: string;
}

/** Why there is no response; a classification marks the fault as transient. */
interface AttemptFault {
  readonly error: Extract<FailureName, 'ConnectFailure' | 'Timeout' | 'RequestFailed'>;
  readonly message: string;
  readonly classification?: Classification;
  /** The address guard refused the destination; nothing was sent in this attempt. */
  readonly addressRefused?: boolean;
}

export type AttemptResult =
  | { readonly response: ReceivedResponse }
  | { readonly fault: AttemptFault };

export interface AttemptDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly maxResponseBytes: number;
  readonly turns: BodyTurns;
}

interface AttemptOptions {
  readonly ms: number;
  readonly caller: AbortSignal;
  /** Use no kept connection, because the attempt before failed on one, or to connect. */
  readonly afresh?: boolean;
}

/** What the requests of one attempt share. */
interface Run extends AttemptDeps {
  readonly progress: Progress;
  readonly onAbort: OnAbort;
  readonly connection: WireRequest['connection'];
}

/**
 * One attempt with its redirects, from name resolution to the last byte. The capped body
 * is read here, so that a cut connection is a fault and no later stage meets a stream.
 * @throws {Cancelled} when the caller has gone away.
 */
export async function attempt(
  request: OutboundRequest,
  deps: AttemptDeps,
  { ms, caller, afresh = false }: AttemptOptions,
): Promise<AttemptResult> {
  const progress = new Progress();
  // The upstream may be closing a kept connection just now. A request that is sent only once
  // must not fail because of that.
  const isRetried = RETRIED_METHODS.includes(request.method);
  const connection = isRetried ? (afresh ? 'new' : 'any') : 'own';
  try {
    const work = (onAbort: OnAbort) =>
      exchange(request, { ...deps, progress, onAbort, connection });
    return { response: await withDeadline(work, { clock: deps.clock, ms, caller }) };
  } catch (error) {
    const late = error instanceof DeadlineExceeded;
    if (progress.stream !== undefined && (late || error instanceof TransportError))
      return { response: progress.stream(late ? 'stream_timeout' : 'stream_broken') };
    if (late) {
      const message = progress.timeoutMessage(ms);
      return { fault: { error: 'Timeout', classification: 'timeout', message } };
    }
    if (error instanceof TransportError) return { fault: faultOf(error, progress) };
    throw error;
  }
}

async function exchange(request: OutboundRequest, run: Run): Promise<ReceivedResponse> {
  const { progress, sandbox } = run;
  progress.begin(request);
  const response = await receive(request, run);
  const hop = nextHop(request, response, progress.asked, sandbox);
  if (hop === undefined) return response;
  if (hop.kind === 'stop') return { ...response, notFollowed: hop.reason };
  try {
    return await exchange(hop.request, run);
  } catch (error) {
    if (!(error instanceof TransportError) || error.fault !== 'address') throw error;
    return { ...response, notFollowed: error.message };
  }
}

function receive(request: OutboundRequest, run: Run): Promise<ReceivedResponse> {
  const { transport, progress, onAbort } = run;
  const { responseType } = request;
  return new Promise((resolve, reject) => {
    let reader: BodyReader | undefined;
    const connection = mayLeaveBodyUnread(request) ? 'own' : run.connection;
    const abort = transport(
      { ...request, connection },
      {
        onStage: (stage) => progress.reached(stage),
        onHeaders: (head) => {
          const coding = head.headers['content-encoding'];
          const opened = new BodyReader(coding, run.maxResponseBytes, run.turns, (body) => {
            abort();
            resolve({ ...head, body });
          });
          reader = opened;
          if (!isEventStream(head)) return;
          progress.stream = (fault) => {
            return { ...head, body: bodySoFar(opened.received, responseType, fault) };
          };
        },
        onData: (bytes, resume) => {
          const more = reader?.take(bytes, resume) ?? true;
          if (progress.stream !== undefined && responseType === 'json')
            reader?.stop('event_stream');
          return more;
        },
        onEnd: () => reader?.end(),
        onError: (error) => {
          reader?.destroy();
          reject(error);
        },
      },
    );
    onAbort(() => {
      abort();
      reader?.destroy();
    });
  });
}

/** An upstream that ignores the body of a GET would read it as the next request. */
function mayLeaveBodyUnread({ method, body }: OutboundRequest): boolean {
  return body !== undefined && method !== 'PUT';
}

function faultOf({ fault, message: what }: TransportError, progress: Progress): AttemptFault {
  const message = `${what} ${progress.consequence()}`;
  switch (fault) {
    case 'connection':
      return { error: 'ConnectFailure', classification: 'connect', message };
    case 'address':
      return { error: 'ConnectFailure', addressRefused: true, message: what };
    case 'certificate':
      return { error: 'ConnectFailure', message: `${message} Another attempt will not help.` };
    case 'protocol':
      return { error: 'RequestFailed', message };
  }
}
