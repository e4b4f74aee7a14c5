import type { ExecutionOutcome, FailureOutcome } from '@gatehouse/contracts';

/** Hosts read lines of at most 10 MiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A character takes so many at most, once in the structure, and once in text that holds it. */
const MAX_BYTES_PER_CHAR = 3 + 3;

/** What does not fit into a result is a failure that says so. */
export function fitting(outcome: ExecutionOutcome): ExecutionOutcome {
  const text = JSON.stringify(outcome);
  if (text.length * MAX_BYTES_PER_CHAR <= MAX_BYTES) return outcome;
  if (Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES)
    return outcome;
  const { attempts, history, status } = outcome;
  return {
    outcome: 'failure',
    error: 'ResponseTooLarge',
    message: `The upstream answered with status ${status}, but its answer is larger than a tool may give; ask for less, for example page by page.`,
    ...(status !== undefined && { status }),
    ...{ attempts, history },
  } satisfies FailureOutcome;
}
