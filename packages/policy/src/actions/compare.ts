import { DECISIONS, type Profile } from '@gatehouse/contracts';
import { type ActionEntry, readEntries, requestsOf } from './http-action.ts';

interface RuleChange {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** True unless the change can only make decisions stricter. */
  readonly looser: boolean;
}

/**
 * Lists the rules on actions that differ between two profiles. A change counts as looser unless it
 * is one of these, because other rules may match instead, with other outcomes and facts:
 * 1. a rule with the same facts in the same place got a stricter outcome;
 * 2. a rule that denies was added;
 * 3. a rule without facts was added to a profile without a section `actions`;
 * 4. a rule that allows was removed, and neither it nor any rule that remains has facts.
 */
export function compareRules(before: Profile['actions'], after: Profile['actions']): RuleChange[] {
  const [old, now] = [rulesOf(before), rulesOf(after)];
  const kept = [...now.keys()].filter((requests) => old.has(requests));
  const oldOrder = [...old.keys()].filter((requests) => now.has(requests));
  const othersLackFacts = after?.rules.every(({ facts }) => facts === undefined) === true;

  const removed = [...old].filter(([requests]) => !now.has(requests));
  const added = [...now].filter(([requests]) => !old.has(requests));
  return [
    ...removed.map(([what, { rule }]) => {
      const isStricter = rule.outcome === 'allow' && rule.facts === undefined && othersLackFacts;
      return { what, from: textOf(rule), to: NO_RULE, looser: !isStricter };
    }),
    ...added.map(([what, { rule }]) => {
      const isOnlyEntry = before === undefined && rule.facts === undefined;
      const isStricter = rule.outcome === 'deny' || isOnlyEntry;
      return { what, from: NO_RULE, to: textOf(rule), looser: !isStricter };
    }),
    ...kept.flatMap((what, place) => {
      const [from, to] = [old.get(what), now.get(what)];
      if (from === undefined || to === undefined) return [];
      if (what !== oldOrder[place])
        return [{ what, from: `rule ${from.index + 1}`, to: `rule ${to.index + 1}`, looser: true }];
      return keptChange(what, from.rule, to.rule);
    }),
  ];
}

const NO_RULE = 'no rule';

/** Returns the rules by a text of the requests that they match, which no two rules share. */
function rulesOf(settings: Profile['actions']): ReadonlyMap<string, ActionEntry> {
  const entries = settings === undefined ? [] : readEntries(settings);
  return new Map(entries.map((entry) => [`actions ${requestsOf(entry).join(', ')}`, entry]));
}

function keptChange(
  what: string,
  from: ActionEntry['rule'],
  to: ActionEntry['rule'],
): readonly RuleChange[] {
  const [before, after] = [textOf(from), textOf(to)];
  if (before === after) return [];
  const isStricter =
    JSON.stringify(from.facts) === JSON.stringify(to.facts) &&
    DECISIONS.indexOf(to.outcome) > DECISIONS.indexOf(from.outcome);
  return [{ what, from: before, to: after, looser: !isStricter }];
}

/** Returns a rule's outcome and facts. */
const textOf = ({ outcome, facts }: ActionEntry['rule']) =>
  facts === undefined ? outcome : `${outcome}, facts ${JSON.stringify(facts)}`;
