import type { Explanation, Remedy } from '@gatehouse/contracts';

/** Lists changes to an action that rules would allow, or returns undefined if there are none. */
export function remedyText(explanation: Explanation | undefined): string | undefined {
  const lines = (explanation?.rules ?? []).flatMap(({ rule, code, currency, remedy = {} }) =>
    code === 'section_missing'
      ? `${rule} needs facts that are missing; if you know them, state them and call again`
      : changes(remedy, currency).map((change) => `${rule} would allow ${change}`),
  );
  return lines.length === 0 ? undefined : `${lines.join('; ')}.`;
}

function changes(remedy: Remedy, currency = ''): string[] {
  const { max_amount_minor_units: amount, use_scopes: scopes = [] } = remedy;
  const drop = [...(remedy.drop_categories ?? []), ...(remedy.drop_flags ?? [])];
  return [
    ...(amount === undefined ? [] : [`an amount of at most ${amount} minor units of ${currency}`]),
    ...(drop.length === 0 ? [] : [`an action that does not involve ${drop.join(', ')}`]),
    ...(scopes.length === 0 ? [] : [`a connector with one of these scopes: ${scopes.join(', ')}`]),
  ];
}
