import { MAX_VIOLATIONS } from '@gatehouse/contracts';
import { readActionHeaders } from '@gatehouse/contracts/action';
import { Refusal } from '../errors.ts';
import type { HeaderRules } from '../secrets/header-names.ts';
import { redactText, redactViolations } from '../secrets/redact-violations.ts';
import { secretsOfHeaders } from '../secrets/secrets.ts';

/** Redacts a refusal, because it may quote a credential from the action. Returns other errors. */
export async function redactRefusal(
  error: unknown,
  action: unknown,
  rules: HeaderRules,
): Promise<unknown> {
  if (!(error instanceof Refusal)) return error;
  const { code, message, violations, retryAfterS } = error;
  const secrets = secretsOfHeaders(readActionHeaders(action).headers, rules.isCredential);
  if (violations === undefined)
    return new Refusal(code, await redactText(message, secrets), retryAfterS);
  const first = violations.slice(0, MAX_VIOLATIONS);
  return new Refusal(code, await redactViolations(first, secrets), retryAfterS);
}
