import type { Outcome, RuleDecision } from '@gatehouse/contracts';
import { findCurrency, formatMoney } from '../money.ts';
import type { Profile } from '../profile.ts';
import type { Rule } from '../rule.ts';

/**
 * The spend guardrail (spec section 4), in this order:
 * 1. no section: require_approval;
 * 2. no exact amount in a known currency: deny (only an unchecked request gets here);
 * 3. above the ceiling: deny, whatever the user's limit;
 * 4. up to the limit: allow;
 * 5. between the two, ceiling included: require_approval.
 */
export function spendLimit(profile: Profile): Rule {
  const { autoAllowMajorUnits, ceilingMajorUnits } = profile.spend;
  return ({ spend }) => {
    if (spend == null)
      return answer('require_approval', 'No spend section: what the action costs is unknown.');

    const currency = findCurrency(spend.currency);
    if (currency === undefined) return NOT_EXACT;
    const { minorPerMajor } = currency;
    const amount = spend.amount_minor_units;
    const limit = spend.user_limit_minor_units ?? autoAllowMajorUnits * minorPerMajor;
    const ceiling = ceilingMajorUnits * minorPerMajor;
    if (!isMinorUnits(amount) || !isMinorUnits(limit)) return NOT_EXACT;

    const shown = formatMoney(amount, currency);
    if (!(amount <= ceiling))
      return answer('deny', `${shown} is above the ceiling of ${formatMoney(ceiling, currency)}.`);
    const shownLimit = formatMoney(limit, currency);
    if (amount <= limit) return answer('allow', `${shown} is within the limit of ${shownLimit}.`);
    const above = `${shown} is above the limit of ${shownLimit} and needs approval.`;
    return answer('require_approval', above);
  };
}

const NOT_EXACT = answer(
  'deny',
  'Amount and limit must be whole minor units of a currency of ISO 4217.',
);

function answer(outcome: Outcome, detail: string): RuleDecision {
  return { rule: 'spend_limit', outcome, detail };
}

function isMinorUnits(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
