import type { Classification, FailureName } from '@gatehouse/contracts';
import type { ResponseHead } from '../transport.ts';
import type { ReadBody } from './body-reader.ts';

export interface ReceivedResponse extends ResponseHead {
  readonly body: ReadBody;
  /** Why a redirect was not followed, as a sentence. */
  readonly notFollowed?: string;
}

/** The reason why an attempt has no response. A transient fault has a classification. */
export interface AttemptFault {
  readonly error: Extract<FailureName, 'ConnectFailure' | 'Timeout' | 'RequestFailed'>;
  readonly message: string;
  readonly classification?: Classification;
  /** True if the address guard refused the destination; this attempt sent nothing. */
  readonly addressRefused?: boolean;
}

export type AttemptResult =
  | { readonly response: ReceivedResponse }
  | { readonly fault: AttemptFault };

/** A failure that another attempt may cure. */
export interface TransientFailure {
  readonly classification: Classification;
  readonly status?: number;
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

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;
