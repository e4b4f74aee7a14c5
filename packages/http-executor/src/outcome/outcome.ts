import type { FailureName, ResponseType } from '@gatehouse/contracts';
import type { AttemptResult } from '../attempt/result.ts';
import type { RedactedBody, Redactor } from '../redact/redact.ts';
import type { AttemptsReport } from '../retry/attempts.ts';
import { failureMembers, failureOf, type ResponseMembers } from './failure.ts';

/** Result of an execution as JSON, with details for logs and metrics. */
export interface Outcome {
  readonly outcome: 'success' | 'failure';
  readonly error?: FailureName;
  readonly status?: number;
  readonly attempts: number;
  readonly redactions: number;
  /** Why there was no response, or why the credential could not be renewed after a 401. */
  readonly reason?: string | undefined;
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
  const found = failureOf(result, body, responseType ?? 'json');
  const failure = found && { ...found, message: redactor.text(found.message) };
  const response = responseMembers(result, body, responseType, redactor);
  const lastMessage = report.lastMessage && redactor.text(report.lastMessage);
  const redactions = redactor.count() + (body && 'redactions' in body ? body.redactions : 0);
  const counted = redactions === 0 ? undefined : redactions;
  const members =
    failure === undefined
      ? ({ outcome: 'success', ...response, attempts, history, redactions: counted } as const)
      : failureMembers(report, { ...failure, lastMessage, response }, counted);
  const { outcome } = members;
  const error = 'error' in members ? { error: members.error } : {};
  const status = 'status' in members && members.status !== undefined && { status: members.status };
  const json = writeOutcome(members, body);
  const reason = 'fault' in result ? failure?.message : undefined;
  return { outcome, ...error, ...status, attempts, redactions, reason, json };
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
 * Writes `members` as JSON, and puts the actual body in place of the placeholder `"body":0`.
 * INVARIANT: `"body":0` never occurs inside a JSON string, where a quote is written as `\"`.
 */
function writeOutcome(members: object, body: RedactedBody | undefined): Buffer {
  const json = JSON.stringify(members);
  const at = json.indexOf('"body":0') + '"body":'.length;
  if (body === undefined || body.kind === 'withheld') return Buffer.from(json);
  const shown = body.kind === 'excerpt' ? Buffer.from(JSON.stringify(body.text)) : body.json;
  return Buffer.concat([Buffer.from(json.slice(0, at)), shown, Buffer.from(json.slice(at + 1))]);
}
