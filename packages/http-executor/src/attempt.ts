import type { Classification, FailureName } from '@gatehouse/contracts';
import type { Clock } from './clock.ts';
import { BodyReader, type ReadBody } from './content-coding.ts';
import { DeadlineExceeded, type OnCutOff, withDeadline } from './deadline.ts';
import type { OutboundRequest } from './guard.ts';
import { nextHop, questionOf } from './redirect.ts';
import type { Sandbox } from './sandbox.ts';
import { type ResponseHead, type Transport, TransportError } from './transport.ts';

/** A response as it came back, body and all, after the redirects that were followed. */
export interface ReceivedResponse extends ResponseHead {
  readonly body: ReadBody;
  /** Why a redirect was not followed. */
  readonly notFollowed?: string;
}

/** Why there is no response; a classification marks the fault as transient. */
export interface AttemptFault {
  readonly error: Extract<FailureName, 'ConnectFailure' | 'Timeout' | 'RequestFailed'>;
  readonly message: string;
  readonly classification?: Classification;
  /** The address guard refused the destination; nothing was sent in this attempt. */
  readonly addressRefused?: boolean;
}

export type AttemptResult = { readonly response: ReceivedResponse } | { readonly fault: AttemptFault };

export interface AttemptDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly maxResponseBytes: number;
}

/**
 * One attempt, from name resolution to the last byte, redirects included. The capped body is read inside it, so that
 * a cut connection is a fault of the attempt and nothing downstream meets a stream. Rejects with `Cancelled` alone.
 */
export async function attempt(
  request: OutboundRequest,
  deps: AttemptDeps,
  budget: { ms: number; caller: AbortSignal },
): Promise<AttemptResult> {
  let sent = false;
  const sending = () => {
    sent = true;
  };
  try {
    const work = (onCutOff: OnCutOff) => exchange(request, deps, { onCutOff, sending, asked: new Set() });
    return { response: await withDeadline(work, { clock: deps.clock, ms: budget.ms, caller: budget.caller }) };
  } catch (error) {
    if (error instanceof DeadlineExceeded) return { fault: timedOut(request, budget.ms, sent) };
    if (error instanceof TransportError) return { fault: faultOf(error) };
    throw error;
  }
}

/** What the attempt has to know of its exchanges while they go on. */
interface Progress {
  /** What was asked so far, redirects included, as `questionOf` has it. */
  readonly asked: Set<string>;
  readonly onCutOff: OnCutOff;
  sending(): void;
}

async function exchange(request: OutboundRequest, deps: AttemptDeps, progress: Progress): Promise<ReceivedResponse> {
  progress.asked.add(questionOf(request));
  const response = await receive(request, deps, progress);
  const hop = nextHop(request, response, progress.asked, deps.sandbox);
  if (hop === undefined) return response;
  if ('stay' in hop) return { ...response, notFollowed: hop.stay };
  try {
    return await exchange(hop.follow, deps, progress);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (error.fault === 'address') return { ...response, notFollowed: error.message };
    // Whoever redirected may have acted before, so that this is no longer a request of which nothing was sent.
    throw error.fault === 'unconnected' ? new TransportError('broken', error.message, error) : error;
  }
}

function receive(
  request: OutboundRequest,
  { transport, maxResponseBytes }: AttemptDeps,
  { onCutOff, sending }: Progress,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    let reader: BodyReader | undefined;
    const abandon = transport(request, {
      sending,
      head: ({ status, headers }) => {
        reader = new BodyReader(headers['content-encoding'], maxResponseBytes, (body) => {
          abandon();
          resolve({ status, headers, body });
        });
      },
      part: (bytes, resume) => reader?.take(bytes, resume) ?? true,
      end: () => reader?.end(),
      failed: (error) => {
        reader?.destroy();
        reject(error);
      },
    });
    onCutOff(() => {
      abandon();
      reader?.destroy();
    });
  });
}

function timedOut({ url }: OutboundRequest, ms: number, sent: boolean): AttemptFault {
  const within = `within ${Math.round(ms)} ms`;
  const message = sent
    ? `\`${url.host}\` did not answer completely ${within}; it may have acted on the request.`
    : `\`${url.host}\` could not be connected to ${within}. Nothing was sent.`;
  return { error: 'Timeout', classification: 'timeout', message };
}

function faultOf({ fault, message }: TransportError): AttemptFault {
  switch (fault) {
    case 'unconnected':
      return { error: 'ConnectFailure', classification: 'connect', message: `${message} Nothing was sent.` };
    case 'broken':
      return {
        error: 'ConnectFailure',
        classification: 'connect',
        message: `${message} It may have acted on the request.`,
      };
    case 'address':
      return { error: 'ConnectFailure', addressRefused: true, message };
    case 'certificate':
      return { error: 'ConnectFailure', message: `${message} Another attempt will not help.` };
    case 'protocol':
      return { error: 'RequestFailed', message };
  }
}
