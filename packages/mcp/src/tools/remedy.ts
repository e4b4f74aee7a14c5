import type { Explanation } from '@gatehouse/contracts';
import { allowedInstead } from '@gatehouse/policy';

/** Belongs to every text that says what a rule would allow. */
export const HONESTY =
  'Do not send the same action again with facts that are not true, such as a lower amount.';

/** Lists changes to an action that rules would allow, or returns undefined if there are none. */
export function remedyText(explanation: Explanation | undefined): string | undefined {
  const lines = (explanation?.rules ?? []).flatMap((explained) => {
    const { rule, code } = explained;
    if (code === 'section_missing')
      return `${rule} needs facts that are missing; if you know them, state them and call again`;
    const allowed = allowedInstead(explained);
    return allowed === undefined ? [] : `${rule} would allow ${allowed}`;
  });
  return lines.length === 0 ? undefined : `${lines.join('; ')}.`;
}
