import {
  type ActionArguments,
  EXECUTOR_PATHS,
  type ExecutionOutcome,
  type Problem,
} from '@gatehouse/contracts';
import type { Dispatcher } from 'undici';
import type { Upstream } from './config.ts';
import { type Call, postJson, type Target, unusable } from './post-json.ts';

/** An action was attempted, with this outcome, or refused before anything was sent. */
export type Execution =
  | { readonly state: 'executed'; readonly outcome: ExecutionOutcome }
  | { readonly state: 'refused'; readonly problem: Problem };

/**
 * Carries out one action.
 * @throws NoAnswer when there is no usable answer.
 */
export type Executor = (action: ActionArguments, call: Call) => Promise<Execution>;

/** Asks an executor service: 200 is an outcome, a 4xx with a problem is a refusal. */
export function httpExecutor(
  { baseUrl, timeoutMs, headers }: Upstream,
  dispatcher: Dispatcher,
): Executor {
  const url = `${baseUrl}${EXECUTOR_PATHS.execute}`;
  const target: Target = { name: 'executor', url, timeoutMs, headers, dispatcher, consequence };
  return async (action, call) => {
    const answer = await postJson(target, action, call);
    const { status, document } = answer;
    if (status === 200 && isOutcome(document)) return { state: 'executed', outcome: document };
    if (status >= 400 && status < 500 && isProblem(document))
      return { state: 'refused', problem: document };
    throw unusable(target, answer);
  };
}

/** INVARIANT: when the answer is lost, the action may have been carried out. */
function consequence(maybeReceived: boolean): string {
  return maybeReceived ? 'The action may have been carried out.' : 'The action was not sent.';
}

function isOutcome(document: unknown): document is ExecutionOutcome {
  const { outcome, attempts } = Object(document) as Partial<ExecutionOutcome>;
  return (outcome === 'success' || outcome === 'failure') && Number.isInteger(attempts);
}

function isProblem(document: unknown): document is Problem {
  const { code, detail } = Object(document) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}
