import { CURRENCY_FORMAT } from '@gatehouse/contracts';
import { CURRENCY_CODES } from '@gatehouse/policy-engine';
import { type Checked, compileCheck } from '@gatehouse/validation';
import { Plan } from './plan.ts';

const currencies = new Set(CURRENCY_CODES);

const matchesSchema = compileCheck(Plan, {
  [CURRENCY_FORMAT]: (code) => currencies.has(code.toUpperCase()),
});

/** What a schema can say, and that ids are unique. */
export function checkPlan(value: unknown): Checked<Plan> {
  const checked = matchesSchema(value);
  if (!checked.ok) return checked;
  const ids = checked.value.steps.map(({ id }) => id);
  const violations = ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    const pointer = `/steps/${index}/id`;
    return first === index ? [] : [{ pointer, message: `must differ from \`/steps/${first}/id\`` }];
  });
  return violations.length === 0 ? checked : { ok: false, violations };
}
