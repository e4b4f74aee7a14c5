import type { FailureName, ResponseType } from '@gatehouse/contracts';
import type { AttemptResult } from '../attempt/result.ts';
import type { RedactedBody } from '../redact/redact.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AttemptsReport } from '../retry/attempts.ts';
import { failureMembers, type ResponseMembers, toFailure } from './failure.ts';

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
  const json = writeOutcome(members, body);
  return { outcome, ...error, ...(status && { status }), attempts, redactions, json };
}

function responseMembers(
  result: AttemptResult,
  body: RedactedBody | undefined,
  responseType: ResponseType | undefined,
  redactor: Redactor,
): ResponseMembers {
  if (!('response' in result)) return {};
  const { status, headers } = result.response;
  const shown = { status, headers: redactor.headers(headers) };
  if (body === undefined || body.kind === 'withheld') return shown;
  const type = body.kind === 'excerpt' ? 'text' : body.kind;
  return { ...shown, body: 0, body_type: responseType && type };
}

/**
 * Writes the members as JSON and replaces the placeholder `"body":0` with the body.
 * INVARIANT: the placeholder does not occur in strings, because JSON escapes their quotes.
 */
function writeOutcome(members: object, body: RedactedBody | undefined): Buffer {
  const json = JSON.stringify(members);
  const at = json.indexOf('"body":0') + '"body":'.length;
  if (body === undefined || body.kind === 'withheld') return Buffer.from(json);
  const shown = body.kind === 'excerpt' ? Buffer.from(JSON.stringify(body.text)) : body.json;
  return Buffer.concat([Buffer.from(json.slice(0, at)), shown, Buffer.from(json.slice(at + 1))]);
}
