import type { FailureName, Violation } from '@gatehouse/contracts';
import type { StopReason } from '../attempt/retry-decision.ts';
import type { ExecutionStats, Failure } from './outcome.ts';

/** An outcome around a body that is JSON already; `headers` is JSON, too. */
export function writeSuccess(
  status: number,
  headers: string,
  body: Uint8Array,
  stats: ExecutionStats,
): Buffer {
  const head = `{"outcome":"success","status":${status},"headers":${headers},"body":`;
  return concat(head, body, `,${membersOf(stats)}}`);
}

/** The failure itself, or why the attempts stopped, with the failure as `last_error`. */
export function writeFailure(
  failure: Failure,
  headers: string | undefined,
  reason: StopReason,
  stats: ExecutionStats,
): { error: FailureName; json: Buffer } {
  const timedOut = reason === 'out_of_time' && failure.error === 'Timeout';
  if (reason === 'settled' || (timedOut && stats.attempts === 1)) {
    return { error: failure.error, json: writeSettled(failure, headers, stats) };
  }
  const [error, sentence] = STOPPED[reason](stats.attempts);
  // What the last one says, such as that nothing was sent, need not hold for the others.
  const message = `${sentence} The last: ${failure.message}`;
  if (timedOut)
    return { error: failure.error, json: writeSettled({ ...failure, message }, headers, stats) };
  const { redactions, retry_after_ms, ...counts } = stats;
  const head = `{"outcome":"failure",${membersOf({ error, message, ...counts })},"last_error":{`;
  const asked = retry_after_ms === undefined ? '' : `,${membersOf({ retry_after_ms })}`;
  const ofLast = failure.status === undefined ? '' : asked;
  const masked = redactions === undefined ? '' : `,${membersOf({ redactions })}`;
  const tail = `${ofLast}}${asked}${masked}}`;
  return { error, json: writeMembers(head, failure, headers, tail) };
}

const STOPPED = {
  exhausted: (attempts: number) =>
    ['RetriesExhausted', `All ${attempts} attempts failed.`] as const,
  draining: (attempts: number) =>
    [
      'RetriesExhausted',
      `The executor is shutting down; attempt ${attempts + 1} was not made.`,
    ] as const,
  out_of_time: (attempts: number) =>
    ['Timeout', `The total time leaves no room for attempt ${attempts + 1}.`] as const,
};

function writeSettled(
  failure: Failure,
  headers: string | undefined,
  stats: ExecutionStats,
): Buffer {
  return writeMembers('{"outcome":"failure",', failure, headers, `,${membersOf(stats)}}`);
}

function writeMembers(
  head: string,
  { body, violations, error, message, status }: Failure,
  headers: string | undefined,
  tail: string,
): Buffer {
  const before = `${head}${membersOf({ error, message, status })}${headers === undefined ? '' : `,"headers":${headers}`}`;
  const after = violations === undefined ? tail : `,"violations":${listOf(violations)}${tail}`;
  return body === undefined
    ? Buffer.from(before + after)
    : concat(`${before},"body":`, body, after);
}

/** `SchemaViolation`s: the place goes by two names (contract, section 3). */
function listOf(violations: readonly Violation[]): string {
  const listed = violations.map(({ pointer, message }) => ({ path: pointer, pointer, message }));
  return JSON.stringify(listed);
}

/** An object's JSON without its braces. */
function membersOf(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

function concat(head: string, body: Uint8Array, tail: string): Buffer {
  return Buffer.concat([Buffer.from(head), body, Buffer.from(tail)]);
}
