import type { Classification, FailureName } from '@gatehouse/contracts';
import type { Clock } from '../clock.ts';
import type { OutboundRequest } from '../guard/guard.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type ResponseHead, type Transport, TransportError } from '../transport.ts';
import { BodyReader, type ReadBody } from './content-coding.ts';
import { DeadlineExceeded, type OnCutOff, withDeadline } from './deadline.ts';
import { Progress } from './progress.ts';
import { nextHop } from './redirect.ts';

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

export type AttemptResult =
  | { readonly response: ReceivedResponse }
  | { readonly fault: AttemptFault };

export interface AttemptDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  readonly maxResponseBytes: number;
}

/**
 * One attempt, from name resolution to the last byte, redirects included. The capped body
 * is read inside it, so that a cut connection is a fault of the attempt and nothing
 * downstream meets a stream. Rejects with `Cancelled` alone.
 */
export async function attempt(
  request: OutboundRequest,
  deps: AttemptDeps,
  budget: { ms: number; caller: AbortSignal },
): Promise<AttemptResult> {
  const progress = new Progress();
  try {
    const work = (onCutOff: OnCutOff) => exchange(request, deps, progress, onCutOff);
    return {
      response: await withDeadline(work, {
        clock: deps.clock,
        ms: budget.ms,
        caller: budget.caller,
      }),
    };
  } catch (error) {
    if (error instanceof DeadlineExceeded) {
      return {
        fault: {
          error: 'Timeout',
          classification: 'timeout',
          message: progress.whenOver(budget.ms),
        },
      };
    }
    if (error instanceof TransportError) return { fault: faultOf(error, progress) };
    throw error;
  }
}

async function exchange(
  request: OutboundRequest,
  deps: AttemptDeps,
  progress: Progress,
  onCutOff: OnCutOff,
): Promise<ReceivedResponse> {
  progress.begin(request);
  const response = await receive(request, deps, progress, onCutOff);
  const hop = nextHop(request, response, progress.asked, deps.sandbox);
  if (hop === undefined) return response;
  if ('stay' in hop) return { ...response, notFollowed: hop.stay };
  try {
    return await exchange(hop.follow, deps, progress, onCutOff);
  } catch (error) {
    if (!(error instanceof TransportError) || error.fault !== 'address') throw error;
    return { ...response, notFollowed: error.message };
  }
}

function receive(
  request: OutboundRequest,
  { transport, maxResponseBytes }: AttemptDeps,
  progress: Progress,
  onCutOff: OnCutOff,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    let reader: BodyReader | undefined;
    const abandon = transport(request, {
      reached: (stage) => progress.reached(stage),
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

function faultOf({ fault, message }: TransportError, progress: Progress): AttemptFault {
  const told = `${message} ${progress.consequence()}`;
  switch (fault) {
    case 'connection':
      return { error: 'ConnectFailure', classification: 'connect', message: told };
    case 'address':
      return { error: 'ConnectFailure', addressRefused: true, message };
    case 'certificate':
      return { error: 'ConnectFailure', message: `${told} Another attempt will not help.` };
    case 'protocol':
      return { error: 'RequestFailed', message: told };
  }
}
