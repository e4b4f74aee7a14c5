import {
  CheckRequest,
  type CheckResponse,
  CURRENCY_FORMAT,
  type Violation,
} from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import { compileProfile } from './compile.ts';
import { evaluatePolicy } from './evaluate.ts';
import { findCurrency } from './money.ts';
import { defaultProfile } from './profile/default.ts';

/** The policy service validates with this check, too. */
export const validateCheckRequest = compileCheck(CheckRequest, {
  [CURRENCY_FORMAT]: (code) => findCurrency(code) !== undefined,
});

export type CheckResult =
  | { readonly ok: true; readonly response: CheckResponse }
  | { readonly ok: false; readonly violations: Violation[] };

/**
 * Judges any value: the answer of `POST /policy/check`, or the violations it would list.
 * @throws InvalidProfile
 */
export function checkPolicy(request: unknown, profile = defaultProfile): CheckResult {
  compileProfile(profile);
  const checked = validateCheckRequest(request);
  return checked.ok ? { ok: true, response: evaluatePolicy(checked.value, profile) } : checked;
}
