import type { FailureOutcome } from '@gatehouse/contracts';

const UNKNOWN: FailureOutcome = {
  outcome: 'failure',
  error: 'OutcomeUnknown',
  message:
    'An earlier execution with this `idempotency-key` ended without an outcome, so the upstream may or may not have acted on the request. Nothing was sent again. Find out from the upstream whether it has acted; only if it has not, send the action with a new key.',
  attempts: 1,
  history: [],
};

/** Answer to a request whose key was claimed by a process that ended before the outcome. */
export const UNKNOWN_OUTCOME = { json: Buffer.from(JSON.stringify(UNKNOWN)) };
