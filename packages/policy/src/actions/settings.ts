import type { Profile, ProfileSource, Violation } from '@gatehouse/contracts';
import { factContradictions } from './facts.ts';
import { type ActionEntry, readEntries, type Settings } from './http-action.ts';

/** Adds the default of each setting that a profile file omits. */
export function completeActions(own: NonNullable<ProfileSource['actions']>): Settings {
  const { missing = 'require_approval', unlisted = 'require_approval', rules = [] } = own;
  return { missing, unlisted, rules };
}

/** Finds malformed hosts and paths, inexact facts, and rules that can never match. */
export function actionContradictions(settings: Profile['actions']): Violation[] {
  if (settings === undefined) return [];
  const violations: Violation[] = [];
  const entries = readEntries(settings, (pointer, message) =>
    violations.push({ pointer: `/actions${pointer}`, message }),
  );
  for (const [index, { facts }] of settings.rules.entries())
    for (const { pointer, message } of factContradictions(facts))
      violations.push({ pointer: `/actions/rules/${index}/facts${pointer}`, message });
  return violations.length > 0 ? violations : hiddenRules(entries);
}

/** Finds rules that an earlier rule for the whole host, or for the same requests, hides. */
function hiddenRules(entries: readonly ActionEntry[]): Violation[] {
  const known = new Map<string, number>();
  return entries.flatMap(({ host: { name, port }, index, rule: { methods, paths } }) => {
    const onPort = JSON.stringify([name, port]);
    const onAnyPort = JSON.stringify([name, undefined]);
    const same = JSON.stringify([name, port, methods, paths]);
    const earlier = known.get(onAnyPort) ?? known.get(onPort) ?? known.get(same);
    known.set(methods || paths ? same : onPort, earlier ?? index);
    if (earlier === undefined) return [];
    const message = `can never match, because \`/actions/rules/${earlier}\` matches first; move this rule up or remove it`;
    return [{ pointer: `/actions/rules/${index}`, message }];
  });
}
