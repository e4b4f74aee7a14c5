import { DECISIONS, LEGAL_FLAGS, PII_CATEGORIES } from '@gatehouse/contracts';
import {
  compileProfile,
  evaluate,
  formatMoney,
  limitsOf,
  type Profile,
} from '@gatehouse/policy-engine';
import { type Profiles, profileFor } from './profiles.ts';

interface ProfileChange {
  /** `neutral` means that every request gets the same decision as before. */
  readonly kind: 'neutral' | 'tightening' | 'loosening' | 'mixed';
  /** Descriptions for people, one for each limit or outcome that became looser. */
  readonly looser: readonly string[];
  readonly tighter: readonly string[];
}

export function changeOf(before: Profiles, after: Profiles): ProfileChange {
  const steps = [...changedPairs(before, after)].flatMap(([callers, from, to]) => {
    const prefix = callers === '' ? '' : `${callers}: `;
    const found = stepsBetween(from, to);
    return found.map((step) => ({
      ...step,
      text: `${prefix}${step.what} ${step.from} → ${step.to}`,
    }));
  });
  const texts = (looser: boolean) =>
    shortened(steps.filter((step) => step.looser === looser).map(({ text }) => text));
  const looser = texts(true);
  const tighter = texts(false);
  return { kind: kindOf(looser.length > 0, tighter.length > 0), looser, tighter };
}

const MOST_SHOWN = 100;

function shortened(texts: readonly string[], most = MOST_SHOWN): readonly string[] {
  if (texts.length <= most) return texts;
  return [...texts.slice(0, most), `and ${texts.length - most} more`];
}

/**
 * Yields the old and the new default profile, then every other pair of an old and a new profile
 * with the callers to which the pair applies.
 */
function* changedPairs(before: Profiles, after: Profiles): Generator<[string, Profile, Profile]> {
  yield ['', before.default, after.default];
  const named = new Map<Profile, Map<Profile, string[]>>();
  for (const caller of new Set([...before.callers.keys(), ...after.callers.keys()])) {
    const [from, to] = [profileFor(before, caller), profileFor(after, caller)];
    const byNext = named.get(from) ?? new Map<Profile, string[]>();
    named.set(from, byNext.set(to, [...(byNext.get(to) ?? []), caller]));
  }
  for (const [from, byNext] of named)
    for (const [to, callers] of byNext) yield [shortened(callers, 5).join(', '), from, to];
}

function kindOf(looser: boolean, tighter: boolean): ProfileChange['kind'] {
  if (looser) return tighter ? 'mixed' : 'loosening';
  return tighter ? 'tightening' : 'neutral';
}

interface Step {
  readonly what: string;
  readonly from: string | number;
  readonly to: string | number;
  readonly looser: boolean;
}

function stepsBetween(before: Profile, after: Profile): Step[] {
  if (compileProfile(before).digest === compileProfile(after).digest) return [];
  const codes = [...Object.keys(before.spend.currencies), ...Object.keys(after.spend.currencies)];
  return [
    ...defaultLimitSteps(before.spend, after.spend),
    ...[...new Set(codes)].flatMap((code) => currencySteps(code, before, after)),
    ...missingSectionSteps(before, after),
    ...PII_CATEGORIES.flatMap((each) =>
      outcomeStep(`pii ${each}`, before.pii.categories[each], after.pii.categories[each]),
    ),
    ...LEGAL_FLAGS.flatMap((each) =>
      outcomeStep(`legal ${each}`, before.legal.flags[each], after.legal.flags[each]),
    ),
    ...scopeSteps(before, after),
  ];
}

type Spend = Profile['spend'];

function defaultLimitSteps(before: Spend, after: Spend): Step[] {
  const most = (spend: Spend) => spend.max_user_limit_major_units || spend.limit_major_units;
  const shown = (amount: number) => `${amount} major units`;
  return [
    ...amountStep('spend limit', before.limit_major_units, after.limit_major_units, shown),
    ...amountStep('spend ceiling', before.ceiling_major_units, after.ceiling_major_units, shown),
    ...amountStep('highest limit that callers can set', most(before), most(after), shown),
  ];
}

function currencySteps(code: string, before: Profile, after: Profile): Step[] {
  const from = limitsOf(before, code);
  const to = limitsOf(after, code);
  if (from === undefined || to === undefined) return [];
  const shown = (amount: number) => formatMoney(amount, to.currency);
  return [
    ...amountStep('spend limit', from.limit, to.limit, shown),
    ...amountStep('spend ceiling', from.ceiling, to.ceiling, shown),
    ...amountStep('highest limit that callers can set', from.maxUserLimit, to.maxUserLimit, shown),
  ];
}

function amountStep(what: string, from: number, to: number, shown: (amount: number) => string) {
  return from === to ? [] : [{ what, from: shown(from), to: shown(to), looser: to > from }];
}

function missingSectionSteps(before: Profile, after: Profile): Step[] {
  return (['spend', 'pii', 'legal', 'connector'] as const).flatMap((section) =>
    outcomeStep(`missing ${section}`, before[section].missing, after[section].missing),
  );
}

const STRICTNESS: readonly string[] = ['no_entry', ...DECISIONS];

function outcomeStep(what: string, from: string, to: string): Step[] {
  const looser = STRICTNESS.indexOf(to) < STRICTNESS.indexOf(from);
  return from === to ? [] : [{ what, from, to, looser }];
}

/** Shows a change for `<scope>/…` only if it differs from the change for the scope itself. */
function scopeSteps(before: Profile, after: Profile): Step[] {
  const step = (scope: string, shown: string) =>
    outcomeStep(`connector ${shown}`, scopeOutcome(scope, before), scopeOutcome(scope, after));
  return sampleScopes(before, after).flatMap(({ scope, shown }) => {
    const alone = step(scope, shown);
    const [more] = scope === '' ? [] : step(`${scope}/`, `${shown}/…`);
    const [same] = alone;
    return more === undefined || (same?.from === more.from && same.to === more.to)
      ? alone
      : [...alone, more];
  });
}

function scopeOutcome(scope: string, profile: Profile): string {
  const { rules } = evaluate({ connector: { scope } }, profile);
  return rules.find(({ rule }) => rule === 'connector_scope')?.outcome ?? 'deny';
}

const ANY = 'mcp://';
const NAME_CHARS = [...'abcdefghijklmnopqrstuvwxyz0123456789._-'];

/**
 * Returns a scope of each kind that the profiles could treat differently: no scope, each listed
 * scope, one for each prefix, and one that is not listed.
 */
function sampleScopes(...profiles: readonly Profile[]): { scope: string; shown: string }[] {
  const lists = profiles.flatMap(({ connector }) => [
    ...connector.deny,
    ...connector.require_approval,
    ...connector.allow,
  ]);
  const entries = [...new Set(lists.map((entry) => entry.toLowerCase()))];
  const listed = new Set(
    entries.map((entry) => entry.replace('*', '')).filter((one) => one !== ANY),
  );
  const prefixes = entries.filter((entry) => entry.endsWith('*') && entry !== `${ANY}*`);
  const unlisted = (prefix: string) => {
    const isFree = (char: string) => !entries.some((entry) => entry.startsWith(prefix + char));
    return `${prefix}${NAME_CHARS.find(isFree) ?? '~'}`;
  };
  return [
    { scope: '', shown: 'without a scope' },
    ...[...listed].map((scope) => ({ scope, shown: scope })),
    ...prefixes.map((entry) => ({ scope: unlisted(entry.slice(0, -1)), shown: entry })),
    { scope: unlisted(ANY), shown: 'any other scope' },
  ];
}
