import type { Explanation, Remedy } from '@gatehouse/contracts';
import { findCurrency, formatMoney } from '@gatehouse/policy';

/** Belongs to every text that says what a rule would allow. */
export const HONESTY =
  'Do not send the same action again with facts that are not true, such as a lower amount.';

/** Lists changes to an action that rules would allow, or returns undefined if there are none. */
export function remedyText(explanation: Explanation | undefined): string | undefined {
  const lines = (explanation?.rules ?? []).flatMap(({ rule, code, currency, remedy = {} }) =>
    code === 'section_missing'
      ? `${rule} needs facts that are missing; if you know them, state them and call again`
      : changes(remedy, currency).map((change) => `${rule} would allow ${change}`),
  );
  return lines.length === 0 ? undefined : `${lines.join('; ')}.`;
}

function changes(remedy: Remedy, code = ''): string[] {
  const { max_amount_minor_units: amount, use_scopes: scopes = [] } = remedy;
  const drop = [...(remedy.drop_categories ?? []), ...(remedy.drop_flags ?? [])];
  const currency = findCurrency(code);
  return [
    ...(amount === undefined || currency === undefined
      ? []
      : [`an action that costs at most ${formatMoney(amount, currency)}`]),
    ...(drop.length === 0 ? [] : [`an action that does not involve ${drop.join(', ')}`]),
    ...(scopes.length === 0 ? [] : [`a connector with one of these scopes: ${scopes.join(', ')}`]),
  ];
}
