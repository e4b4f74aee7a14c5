import type { FailureName } from '@gatehouse/contracts';
import type { AttemptsReport } from '../attempt/attempts.ts';
import type { Accounts, Failure } from './outcome.ts';

/**
 * Puts the answer together around a body that is JSON already. `headers` is JSON whose
 * characters are latin1.
 */
export function writeSuccess(
  status: number,
  headers: string,
  body: Uint8Array,
  accounts: Accounts,
): Buffer {
  const head = `{"outcome":"success","status":${status},"headers":${headers},"body":`;
  return concat(head, body, `,${membersOf(accounts)}}`);
}

/** The failure itself, or what ended the attempts with the failure as the last error. */
export function writeFailure(
  failure: Failure,
  headers: string | undefined,
  ended: AttemptsReport['ended'],
  accounts: Accounts,
): { error: FailureName; json: Buffer } {
  const timedOut = ended === 'out_of_time' && failure.error === 'Timeout';
  if (ended === 'settled' || (timedOut && accounts.attempts === 1)) {
    return { error: failure.error, json: writeSettled(failure, headers, accounts) };
  }
  const [error, why] = ENDINGS[ended](accounts.attempts);
  // What is said of the last attempt, such as that nothing was sent, need not hold for
  // those before.
  const message = `${why} The last: ${failure.message}`;
  if (timedOut)
    return { error: failure.error, json: writeSettled({ ...failure, message }, headers, accounts) };
  const { redactions, ...counts } = accounts;
  const head = `{"outcome":"failure",${membersOf({ error, message, ...counts })},"last_error":{`;
  const tail = redactions === undefined ? '}}' : `},"redactions":${redactions}}`;
  return { error, json: writeMembers(head, failure, headers, tail) };
}

const ENDINGS = {
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

function writeSettled(failure: Failure, headers: string | undefined, accounts: Accounts): Buffer {
  return writeMembers('{"outcome":"failure",', failure, headers, `,${membersOf(accounts)}}`);
}

function writeMembers(
  head: string,
  { body, violations, error, message, status }: Failure,
  headers: string | undefined,
  tail: string,
): Buffer {
  const before = `${head}${membersOf({ error, message, status })}${headers === undefined ? '' : `,"headers":${headers}`}`;
  const after =
    violations === undefined ? tail : `,"violations":${JSON.stringify(violations)}${tail}`;
  return body === undefined
    ? Buffer.from(before + after)
    : concat(`${before},"body":`, body, after);
}

/** An object's JSON without its braces. */
function membersOf(members: object): string {
  return JSON.stringify(members).slice(1, -1);
}

function concat(head: string, body: Uint8Array, tail: string): Buffer {
  return Buffer.concat([Buffer.from(head), body, Buffer.from(tail)]);
}
