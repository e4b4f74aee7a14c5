import { MAX_VIOLATION_CHARS, MAX_VIOLATIONS, type Violation } from '@gatehouse/contracts';
import { Refusal } from '../errors.ts';
import { inspectAction } from '../guard/guard.ts';
import { readActionHeaders } from '../guard/request-headers.ts';
import { shorten } from '../text.ts';
import type { Redactor, redactorFactory } from './redact.ts';

/** Redacts a refusal, because its message may quote a credential from the action. */
export function redactRefusal(refusal: Refusal, redactor: Redactor): Refusal {
  const { code, message, violations, retryAfterS } = refusal;
  const reason = violations ? redactViolations(violations, redactor) : redactor.text(message);
  return new Refusal(code, reason, retryAfterS);
}

function redactViolations(violations: readonly Violation[], redactor: Redactor) {
  return violations.slice(0, MAX_VIOLATIONS).map(({ pointer, message }) => ({
    pointer: shorten(redactor.text(pointer), MAX_VIOLATION_CHARS),
    message: shorten(redactor.text(message), MAX_VIOLATION_CHARS),
  }));
}

export interface ExplainDeps {
  readonly redactorFor: ReturnType<typeof redactorFactory>;
  readonly maxRequestBytes: number;
}

/** Returns the given violations and those in the action's URL, headers and body, all redacted. */
export function explain(
  value: unknown,
  violations: readonly Violation[],
  { redactorFor, maxRequestBytes }: ExplainDeps,
): Violation[] {
  const read = readActionHeaders(value);
  // If headers exceed a limit, report only that. Such headers were not searched for secrets, so any
  // other message could quote a secret from them.
  if (read.beyondLimits) return read.violations;
  try {
    const refused = inspectAction(value, maxRequestBytes);
    return redactViolations([...violations, ...refused], redactorFor(read.headers));
  } catch (error) {
    if (error instanceof Refusal) return [...(error.violations ?? [])];
    throw error;
  }
}
