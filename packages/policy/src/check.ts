import { CheckRequest, CURRENCY_FORMAT } from '@gatehouse/contracts';
import { type PlannedAction, readAction } from '@gatehouse/contracts/action';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import type { SeenAction } from './actions/http-action.ts';
import { findCurrency } from './money.ts';

/** A valid check request, with its action as rules see it. */
export interface Check extends Omit<CheckRequest, 'action'> {
  readonly action?: PlannedAction | undefined;
  /** Action from a log, for a check that is replayed. */
  readonly recorded?: SeenAction | undefined;
}

/** Custom format for `CheckRequest` validators. The format accepts only known currency codes. */
export const CHECK_FORMATS = {
  [CURRENCY_FORMAT]: (code: string) => findCurrency(code) !== undefined,
};

const validateRequest = compileValidator(CheckRequest, CHECK_FORMATS);

/** Reads a check request, or lists all violations in it and in its action. */
export function readCheck(value: unknown): Checked<Check> {
  const checked = validateRequest(value);
  const { action = null } = Object(value);
  if (action === null)
    return checked.ok ? { ok: true, value: withoutAction(checked.value) } : checked;

  const planned = readAction(action);
  if (checked.ok && planned.ok)
    return { ok: true, value: { ...checked.value, action: planned.value } };

  const own = checked.ok ? [] : checked.violations;
  const others = planned.ok ? [] : planned.violations;
  const inAction = others.map(({ pointer, message }) => {
    return { pointer: `/action${pointer}`, message };
  });
  return { ok: false, violations: [...own, ...inAction] };
}

function withoutAction(request: CheckRequest): Check {
  return { ...request, action: undefined };
}
