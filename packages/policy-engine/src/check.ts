import {
  CheckRequest,
  type CheckResponse,
  CURRENCY_FORMAT,
  type Violation,
} from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import { compileProfile } from './compile.ts';
import { evaluate, toResponse } from './evaluate.ts';
import { findCurrency } from './money.ts';
import { defaultProfile } from './profile/default.ts';

/** The policy service validates requests with the same check. */
export const validateCheckRequest = compileValidator(CheckRequest, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

export type CheckResult =
  | { readonly ok: true; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: Violation[] };

/**
 * Validates and evaluates any value: gives the response of `POST /policy/check`, or the
 * violations that it would list.
 * @throws InvalidProfile
 */
export function checkPolicy(request: unknown, profile = defaultProfile): CheckResult {
  compileProfile(profile);
  const checked = validateCheckRequest(request);
  if (!checked.ok) return checked;
  return { ok: true, response: toResponse(evaluate(checked.value, profile)) };
}
