import { type ExecutionOutcome, OMITTED_ADVICE, type Violation } from '@gatehouse/contracts';
import type { GateResult } from '../index.ts';

/** Result that the model receives, as JSON. */
export interface ToolAnswer {
  readonly state: GateResult['state'];
  readonly requestId: string;
  /** Present if the action was executed. The outcome may be a failure. */
  readonly outcome?: ExecutionOutcome;
  /** Says how to get the rest of a body that was cut. */
  readonly advice?: string;
  /** Reason why the action was not executed, or why its outcome is unknown. */
  readonly reason?: string;
  /** Violations of a refused action. */
  readonly errors?: readonly Violation[] | undefined;
  /** Milliseconds that a busy service asked the caller to wait before the next call. */
  readonly retryAfterMs?: number | undefined;
  /** Present if it is unknown whether the action was carried out. */
  readonly maybeSent?: boolean;
}

/** Tells the model what has happened and, where it can do something, what to do next. */
export function toToolAnswer(result: GateResult): ToolAnswer {
  const { state, requestId } = result;
  if (state === 'executed') {
    const { outcome } = result;
    const isUnknown = 'error' in outcome && outcome.error === 'OutcomeUnknown';
    return {
      ...{ state, requestId, outcome },
      ...(isCut(outcome) && { advice: OMITTED_ADVICE }),
      ...(isUnknown && { maybeSent: true }),
    };
  }

  const answer = { state, requestId, reason: result.reason, retryAfterMs: result.retryAfterMs };
  if (state === 'unanswered') return { ...answer, maybeSent: result.maybeSent };

  if (state === 'refused') {
    const { code, errors } = result.problem;
    const isUnsigned = code === 'DecisionRequired';
    return { ...answer, ...(isUnsigned && { reason: `${answer.reason} ${UNSIGNED}` }), errors };
  }

  return state === 'needs_approval'
    ? { ...answer, reason: `${result.reason} ${UNAPPROVED}` }
    : answer;
}

const isCut = (outcome: ExecutionOutcome): boolean =>
  outcome.omitted !== undefined ||
  ('last_error' in outcome && outcome.last_error?.omitted !== undefined);

const UNAPPROVED =
  'Nothing was sent, because this call has no valid approval: no one was asked, the approval was already used or is too old, or the action, its facts or the reason for approval have changed since. If the action has not been carried out yet, call the tool again to ask for approval. If no one is asked then either, tell the user that the application must pass the `approval` of the tool to the AI SDK in `toolApproval`.';

const UNSIGNED =
  'If a person has approved the call, tell the user that the application must pass `approve` to `gatehouseTool`, because the executor requires a signed approval.';
