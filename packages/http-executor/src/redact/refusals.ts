import {
  MAX_VIOLATION_CHARS,
  MAX_VIOLATIONS,
  summarizeViolations,
  type Violation,
} from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import { type ReadHeaders, readHeaders } from '../guard/request-headers.ts';
import { shorten } from '../text.ts';
import type { Redactor } from './redact.ts';

/** Reads the headers of an action, even if the action does not match its schema. */
export function readActionHeaders(action: unknown): ReadHeaders {
  const { headers } = (action ?? {}) as { headers?: unknown };
  const texts = Object.entries(headers ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return readHeaders(Object.fromEntries(texts));
}

/** Redacts a refusal, because its message may quote a credential from the action. */
export function redactRefusal(refusal: Refusal, redactor: Redactor): Refusal {
  const { code, message, violations, retryAfterS } = refusal;
  if (violations === undefined)
    return new Refusal(code, redactor.text(message), undefined, retryAfterS);
  const redacted = redactViolations(violations, redactor);
  return new Refusal(code, summarizeViolations(redacted), redacted, retryAfterS);
}

export function redactViolations(violations: readonly Violation[], redactor: Redactor) {
  return violations.slice(0, MAX_VIOLATIONS).map(({ pointer, message }) => ({
    pointer: shorten(redactor.text(pointer), MAX_VIOLATION_CHARS),
    message: shorten(redactor.text(message), MAX_VIOLATION_CHARS),
  }));
}
