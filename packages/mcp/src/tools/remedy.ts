import { type Explanation, RULE_SCHEMAS, type RuleDecision } from '@gatehouse/contracts';
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

/** Returns advice if an action needs approval only because sections of its check are missing. */
export function missingSections(
  rules: readonly RuleDecision[],
  explanation: Explanation | undefined,
): string | undefined {
  const undecided = rules.filter(({ outcome }) => outcome === 'require_approval');
  const codeOf = (name: string) => explanation?.rules.find(({ rule }) => rule === name)?.code;
  if (!undecided.every(({ rule }) => codeOf(rule) === 'section_missing')) return undefined;

  const names = undecided.map(({ rule }) => `\`${RULE_SCHEMAS[rule].section}\``);
  const noun = names.length === 1 ? 'section' : 'sections';
  const list = names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  return `State the missing ${noun} ${list} if you know ${names.length === 1 ? 'it' : 'them'}, and call again.`;
}
