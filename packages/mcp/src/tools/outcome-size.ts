import type { ExecutionOutcome, FailureOutcome } from '@gatehouse/contracts';

/** A host reads a result twice, as text and as structure, and lines of at most 10 MiB. */
const MAX_CHARS = 2 * 1024 * 1024;

/** What does not fit into a result is a failure that says so. */
export function fitting(outcome: ExecutionOutcome): ExecutionOutcome {
  const { length } = JSON.stringify(outcome);
  if (length <= MAX_CHARS) return outcome;
  const { attempts, history, status } = outcome;
  return {
    outcome: 'failure',
    error: 'ResponseTooLarge',
    message: `The upstream answered with status ${status}, but its answer is larger than a tool may give; ask for less, for example page by page.`,
    ...(status !== undefined && { status }),
    ...{ attempts, history },
  } satisfies FailureOutcome;
}
