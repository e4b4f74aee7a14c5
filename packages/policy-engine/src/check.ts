import {
  CheckRequest,
  type CheckResponse,
  CURRENCY_FORMAT,
  type Violation,
} from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import { evaluatePolicy } from './evaluate.ts';
import { findCurrency } from './money.ts';
import { defaultProfile, type Profile } from './profile.ts';

/**
 * Whether a value is a check request; if not, every violation. The policy service uses
 * this very check.
 */
export const validateCheckRequest = compileCheck(CheckRequest, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

export type CheckResult =
  | { readonly ok: true; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: Violation[] };

/**
 * Judges anything at all: the answer of `POST /policy/check`, or the violations that it
 * would list.
 */
export function checkPolicy(request: unknown, profile: Profile = defaultProfile): CheckResult {
  const checked = validateCheckRequest(request);
  return checked.ok ? { ok: true, response: evaluatePolicy(checked.value, profile) } : checked;
}
