import type {
  FailureName,
  HttpRetryRecord,
  ResponseType,
  UpstreamError,
} from '@gatehouse/contracts';
import type { AttemptResult } from '../attempt/result.ts';
import type { RedactedBody } from '../redact/redact.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AttemptsReport } from '../retry/attempts.ts';
import { type Failure, toFailure } from './failure.ts';

/** The answer to an execution, with the members that logs and metrics need. */
export interface Outcome {
  readonly outcome: 'success' | 'failure';
  readonly error?: FailureName;
  readonly status?: number;
  readonly attempts: number;
  readonly redactions: number;
  /** An `ExecutionOutcome` (docs/contract.md, "Outcomes") as JSON in UTF-8. */
  readonly json: Buffer;
}

export function toOutcome(
  report: AttemptsReport,
  body: RedactedBody | undefined,
  responseType: ResponseType | undefined,
  redactor: Redactor,
): Outcome {
  const { result, attempts, history } = report;
  const failure = toFailure(result, body, responseType ?? 'json', redactor);
  const response = responseMembers(result, body, responseType, redactor);
  const timeoutMessage = report.timeoutMessage && redactor.text(report.timeoutMessage);
  const redactions = redactor.count() + (body && 'redactions' in body ? body.redactions : 0);
  const stats = { attempts, history, redactions: redactions === 0 ? undefined : redactions };
  const members =
    failure === undefined
      ? ({ outcome: 'success', ...response, ...stats } as const)
      : failureMembers(report, { ...failure, timeoutMessage }, { response, stats });
  const { outcome, status } = members;
  const error = 'error' in members ? { error: members.error } : {};
  const json = writeJson(members, body);
  return { outcome, ...error, ...(status && { status }), attempts, redactions, json };
}

type Members<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

function responseMembers(
  result: AttemptResult,
  body: RedactedBody | undefined,
  responseType: ResponseType | undefined,
  redactor: Redactor,
): Members<Pick<UpstreamError, 'status' | 'headers' | 'body' | 'body_type'>> {
  if (!('response' in result)) return {};
  const { status, headers } = result.response;
  const shown = { status, headers: redactor.headers(headers) };
  if (body === undefined || body.kind === 'withheld') return shown;
  const type = body.kind === 'excerpt' ? 'text' : body.kind;
  return { ...shown, body: 0, body_type: responseType && type };
}

interface OtherMembers {
  readonly response: ReturnType<typeof responseMembers>;
  readonly stats: {
    readonly attempts: number;
    readonly history: readonly HttpRetryRecord[];
    readonly redactions: number | undefined;
  };
}

/** Reports a single failure as it is, and several attempts with the latest in `last_error`. */
function failureMembers(
  { reason, attempts, retryAfterMs: retry_after_ms }: AttemptsReport,
  { timeoutMessage, ...failure }: Failure & { timeoutMessage: string | undefined },
  { response, stats }: OtherMembers,
) {
  const outcome = 'failure' as const;
  // A violation has its pointer under two names, `path` and `pointer`.
  const violations = failure.violations?.map((each) => ({ path: each.pointer, ...each }));
  const last = { error: failure.error, message: failure.message, ...response, violations };
  const timedOut = reason === 'out_of_time' && failure.error === 'Timeout';
  if (reason === 'settled' || (timedOut && attempts === 1))
    return { outcome, ...last, ...stats, retry_after_ms };
  const [error, sentence] = STOPPED[reason](attempts);
  // A statement such as "Nothing was sent." may be true only of the last attempt, so the message names it.
  const message = `${sentence} The last: ${timeoutMessage ?? failure.message}`;
  if (timedOut) return { outcome, ...last, message, ...stats, retry_after_ms };
  const last_error = response.status === undefined ? last : { ...last, retry_after_ms };
  return { outcome, status: undefined, error, message, ...stats, last_error, retry_after_ms };
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

/**
 * Writes the members as JSON and replaces the placeholder `"body":0` with the body.
 * INVARIANT: the placeholder does not occur in strings, because JSON escapes their quotes.
 */
function writeJson(members: object, body: RedactedBody | undefined): Buffer {
  const json = JSON.stringify(members);
  const at = json.indexOf('"body":0') + '"body":'.length;
  if (body === undefined || body.kind === 'withheld') return Buffer.from(json);
  const shown = body.kind === 'excerpt' ? Buffer.from(JSON.stringify(body.text)) : body.json;
  return Buffer.concat([Buffer.from(json.slice(0, at)), shown, Buffer.from(json.slice(at + 1))]);
}
