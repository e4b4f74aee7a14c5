import {
  type Explanation,
  RULE_SCHEMAS,
  type RuleDecision,
  type RuleExplanation,
} from '@gatehouse/contracts';
import { allowedInstead } from '@gatehouse/policy';

/** Belongs to every text that says what a rule would allow. */
export const HONESTY =
  'Do not send the same action again with facts that are not true, such as a lower amount.';

/** True if facts are missing that the caller can state. The profile's facts are the operator's. */
const isMissing = (explained: RuleExplanation | undefined): boolean =>
  explained?.code === 'section_missing' && !('stated_by' in explained);

/** Sections that rules read. All other rules read the action. */
const SECTIONS: Readonly<Record<string, { readonly section: string }>> = RULE_SCHEMAS;

/** Lists changes to an action that rules would allow, or returns undefined if there are none. */
export function remedyText(explanation: Explanation | undefined): string | undefined {
  const lines = (explanation?.rules ?? []).flatMap((explained) => {
    const { rule } = explained;
    if (isMissing(explained))
      return `${rule} needs facts that are missing; if you know them, state them and call again`;
    const allowed = allowedInstead(explained);
    return allowed === undefined ? [] : `${rule} would allow ${allowed}`;
  });
  return lines.length === 0 ? undefined : `${lines.join('; ')}.`;
}

/** Returns advice if an action needs approval only because sections of its check are missing. */
export function missingSections(
  rules: readonly RuleDecision[],
  explanation: Explanation | undefined,
): string | undefined {
  const undecided = rules.filter(({ outcome }) => outcome === 'require_approval');
  const explained = (name: string) => explanation?.rules.find(({ rule }) => rule === name);
  if (!undecided.every(({ rule }) => isMissing(explained(rule)))) return undefined;

  const names = undecided.map(({ rule }) => `\`${SECTIONS[rule]?.section ?? 'action'}\``);
  const noun = names.length === 1 ? 'section' : 'sections';
  const list = names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  return `State the missing ${noun} ${list} if you know ${names.length === 1 ? 'it' : 'them'}, and call again.`;
}
