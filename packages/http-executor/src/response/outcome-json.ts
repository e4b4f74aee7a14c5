import type { FailureName, Violation } from '@gatehouse/contracts';
import type { StopReason } from '../attempt/retry-decision.ts';
import type { ExecutionStats, Failure, ShownBody } from './outcome.ts';

const NO_BODY: ShownBody = { json: Buffer.from('null'), type: undefined };

/** An outcome around a body that is JSON already; `headers` is JSON, too. */
export function writeSuccess(
  status: number,
  headers: string,
  body: ShownBody | undefined,
  stats: ExecutionStats,
): Buffer {
  const head = `{"outcome":"success","status":${status},"headers":${headers}`;
  return concatBody(head, body ?? NO_BODY, `,${membersJson(stats)}}`);
}

/** What a failure shows; `headers` is JSON. */
interface ShownFailure {
  readonly failure: Failure;
  readonly headers: string | undefined;
  readonly body: ShownBody | undefined;
  /** What the attempt after this failure says. */
  readonly late?: string | undefined;
}

/** The failure itself, or why the attempts stopped, with the failure as `last_error`. */
export function writeFailure(
  shown: ShownFailure,
  reason: StopReason,
  stats: ExecutionStats,
): { error: FailureName; json: Buffer } {
  const { failure } = shown;
  const timedOut = reason === 'out_of_time' && failure.error === 'Timeout';
  if (reason === 'settled' || (timedOut && stats.attempts === 1)) {
    return { error: failure.error, json: writeSettled(shown, stats) };
  }
  const [error, sentence] = STOPPED[reason](stats.attempts);
  // What the last one says, such as that nothing was sent, need not hold for the others.
  const message = `${sentence} The last: ${shown.late ?? failure.message}`;
  if (timedOut) {
    const late = { ...shown, failure: { ...failure, message } };
    return { error: failure.error, json: writeSettled(late, stats) };
  }
  const { redactions, retry_after_ms, ...counts } = stats;
  const head = `{"outcome":"failure",${membersJson({ error, message, ...counts })},"last_error":{`;
  const asked = retry_after_ms === undefined ? '' : `,${membersJson({ retry_after_ms })}`;
  const ofLast = failure.status === undefined ? '' : asked;
  const masked = redactions === undefined ? '' : `,${membersJson({ redactions })}`;
  const tail = `${ofLast}}${asked}${masked}}`;
  return { error, json: writeMembers(head, shown, tail) };
}

const STOPPED = {
  exhausted: (attempts: number) =>
    ['RetriesExhausted', `All ${attempts} attempts failed.`] as const,
  draining: (attempts: number) =>
    [
      'RetriesExhausted',
      `The executor is shutting down; attempt ${attempts + 1} was not made.`,
    ] as const,
  out_of_time: () => ['Timeout', 'The total time leaves no room for another attempt.'] as const,
};

function writeSettled(shown: ShownFailure, stats: ExecutionStats): Buffer {
  return writeMembers('{"outcome":"failure",', shown, `,${membersJson(stats)}}`);
}

function writeMembers(head: string, { failure, headers, body }: ShownFailure, tail: string) {
  const { violations, error, message, status } = failure;
  const before = `${head}${membersJson({ error, message, status })}${headers === undefined ? '' : `,"headers":${headers}`}`;
  const after =
    violations === undefined ? tail : `,"violations":${violationsJson(violations)}${tail}`;
  return body === undefined ? Buffer.from(before + after) : concatBody(before, body, after);
}

/** `SchemaViolation`s: the place goes by two names (contract, section 3). */
function violationsJson(violations: readonly Violation[]): string {
  const listed = violations.map(({ pointer, message }) => ({ path: pointer, pointer, message }));
  return JSON.stringify(listed);
}

/** An object's JSON without its braces. */
function membersJson(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

function concatBody(head: string, { json, type }: ShownBody, tail: string): Buffer {
  const typed = type === undefined ? tail : `,"body_type":"${type}"${tail}`;
  return Buffer.concat([Buffer.from(`${head},"body":`), json, Buffer.from(typed)]);
}
