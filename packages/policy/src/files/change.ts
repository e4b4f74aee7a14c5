import { DECISIONS } from '@gatehouse/contracts';
import { compareRules } from '../actions/compare.ts';
import { compileProfile, type Profile, RULE_TABLE } from '../index.ts';
import type { LimitComparison } from '../rules/rule.ts';
import { type Profiles, profileFor } from './profile-file.ts';

const MOST_STEPS_SHOWN = 100;
const MOST_CALLERS_SHOWN = 5;

/** Lists the limits and outcomes that became looser or tighter, one line of text for each. */
export function changeOf(before: Profiles, after: Profiles) {
  const steps = callersByChange(before, after).flatMap((callers) => {
    const [caller] = callers;
    const prefix =
      caller === undefined ? '' : `${changeList(callers, MOST_CALLERS_SHOWN).join(', ')}: `;
    const found = stepsBetween(profileFor(before, caller), profileFor(after, caller));
    return found.map(({ what, from, to, looser }) => ({
      looser,
      text: `${prefix}${what} ${from} → ${to}`,
    }));
  });
  const texts = (looser: boolean) => {
    const found = steps.filter((step) => step.looser === looser).map(({ text }) => text);
    return changeList(found, MOST_STEPS_SHOWN);
  };
  const [looser, tighter] = [texts(true), texts(false)];
  return { kind: kindOf(looser.length > 0, tighter.length > 0), looser, tighter };
}

function changeList<T>(items: readonly T[], most: number): readonly (T | string)[] {
  if (items.length <= most) return items;
  return [...items.slice(0, most), `and ${items.length - most} more`];
}

/** Groups callers by old and new profile. `undefined` means all callers listed in neither file. */
function callersByChange(before: Profiles, after: Profiles): (string | undefined)[][] {
  const callers = new Set([undefined, ...before.callers.keys(), ...after.callers.keys()]);
  const change = (caller: string | undefined) =>
    `${profileFor(before, caller).name} ${profileFor(after, caller).name}`;
  return [...Map.groupBy(callers, change).values()];
}

/** Returns `neutral` if the old and the new profiles make the same decisions. */
function kindOf(looser: boolean, tighter: boolean) {
  if (looser) return tighter ? 'mixed' : 'loosening';
  return tighter ? 'tightening' : 'neutral';
}

/** Lists changed limits, outcomes of missing sections, other outcomes, and rules on actions. */
function stepsBetween(before: Profile, after: Profile) {
  if (compileProfile(before).digest === compileProfile(after).digest) return [];

  const limits = RULE_TABLE.flatMap(
    (rule) => rule.limits?.compare(before[rule.section], after[rule.section]) ?? [],
  );
  const missing = RULE_TABLE.map(({ section }) =>
    outcomeStep(`missing ${section}`, before[section].missing, after[section].missing),
  );
  const outcomes = RULE_TABLE.flatMap(({ section, compare }) =>
    compare(before[section], after[section]).map(({ what, from, to }) =>
      outcomeStep(`${section} ${what}`, from, to),
    ),
  );
  const actions = (['missing', 'unlisted'] as const).map((what) => {
    const of = ({ actions }: Profile) => actions?.[what] ?? 'no_entry';
    return outcomeStep(`${what} action`, of(before), of(after));
  });
  const steps = [...limits.map(limitStep), ...missing, ...outcomes, ...actions];
  return [
    ...steps.filter(({ from, to }) => from !== to),
    ...compareRules(before.actions, after.actions),
  ];
}

const STRICTNESS: readonly string[] = ['no_entry', ...DECISIONS];

function limitStep({ what, from, to, shown }: LimitComparison) {
  return { what, from: shown(from), to: shown(to), looser: to > from };
}

function outcomeStep(what: string, from: string, to: string) {
  return { what, from, to, looser: STRICTNESS.indexOf(to) < STRICTNESS.indexOf(from) };
}
