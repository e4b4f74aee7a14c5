import type { RuleDecision, Spend } from '@gatehouse/contracts';
import { findCurrency, formatMoney } from '../money.ts';
import type { Profile } from '../profile.ts';
import { answer } from './answer.ts';

/**
 * The spend guardrail (spec section 4), in this order:
 * 1. no section: require_approval;
 * 2. no exact amount in a known currency: deny (only an unchecked caller can get here);
 * 3. above the ceiling: deny, whatever the user's limit;
 * 4. up to the limit: allow;
 * 5. between the two, ceiling included: require_approval.
 */
export function spendLimit(
  spend: Spend | null | undefined,
  { spend: thresholds }: Profile,
): RuleDecision {
  if (spend == null)
    return answer(
      'spend_limit',
      'require_approval',
      'No spend section: what the action costs is unknown.',
    );

  const currency = findCurrency(spend.currency);
  const amount = spend.amount_minor_units;
  const limit =
    spend.user_limit_minor_units ?? thresholds.autoAllowMajorUnits * (currency?.minorPerMajor ?? 0);
  if (currency === undefined || !isMinorUnits(amount) || !isMinorUnits(limit)) {
    return answer(
      'spend_limit',
      'deny',
      'Amount and limit must be whole minor units of a currency of ISO 4217.',
    );
  }

  const ceiling = thresholds.ceilingMajorUnits * currency.minorPerMajor;
  const shown = formatMoney(amount, currency);
  if (amount > ceiling) {
    return answer(
      'spend_limit',
      'deny',
      `${shown} is above the ceiling of ${formatMoney(ceiling, currency)}.`,
    );
  }
  const shownLimit = formatMoney(limit, currency);
  if (amount <= limit)
    return answer('spend_limit', 'allow', `${shown} is within the limit of ${shownLimit}.`);
  return answer(
    'spend_limit',
    'require_approval',
    `${shown} is above the limit of ${shownLimit} and needs approval.`,
  );
}

function isMinorUnits(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
