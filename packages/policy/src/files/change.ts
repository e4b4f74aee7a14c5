import { DECISIONS, LEGAL_FLAGS, PII_CATEGORIES } from '@gatehouse/contracts';
import { compileProfile, evaluate, formatMoney, limitsOf, type Profile } from '../index.ts';
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

function stepsBetween(before: Profile, after: Profile) {
  if (compileProfile(before).digest === compileProfile(after).digest) return [];
  const codes = [...Object.keys(before.spend.currencies), ...Object.keys(after.spend.currencies)];
  const shown = (amount: number) => `${amount} major units`;
  return [
    ...limitSteps(majorLimits(before), majorLimits(after), shown),
    ...[...new Set(codes)].flatMap((code) => currencySteps(code, before, after)),
    ...(['spend', 'pii', 'legal', 'connector'] as const).flatMap((section) =>
      outcomeStep(`missing ${section}`, before[section].missing, after[section].missing),
    ),
    ...PII_CATEGORIES.flatMap((each) =>
      outcomeStep(`pii ${each}`, before.pii.categories[each], after.pii.categories[each]),
    ),
    ...LEGAL_FLAGS.flatMap((each) =>
      outcomeStep(`legal ${each}`, before.legal.flags[each], after.legal.flags[each]),
    ),
    ...scopeSteps(before, after),
  ];
}

type Limits = Omit<NonNullable<ReturnType<typeof limitsOf>>, 'currency'>;

function majorLimits({ spend }: Profile): Limits {
  const { limit_major_units: limit, ceiling_major_units: ceiling } = spend;
  return { limit, ceiling, maxUserLimit: spend.max_user_limit_major_units || limit };
}

function currencySteps(code: string, before: Profile, after: Profile) {
  const from = limitsOf(before, code);
  const to = limitsOf(after, code);
  if (from === undefined || to === undefined) return [];
  return limitSteps(from, to, (amount) => formatMoney(amount, to.currency));
}

function limitSteps(before: Limits, after: Limits, shown: (amount: number) => string) {
  const step = (what: string, from: number, to: number) =>
    from === to ? [] : [{ what, from: shown(from), to: shown(to), looser: to > from }];
  return [
    ...step('spend limit', before.limit, after.limit),
    ...step('spend ceiling', before.ceiling, after.ceiling),
    ...step('highest limit that callers can set', before.maxUserLimit, after.maxUserLimit),
  ];
}

const STRICTNESS: readonly string[] = ['no_entry', ...DECISIONS];

function outcomeStep(what: string, from: string, to: string) {
  const looser = STRICTNESS.indexOf(to) < STRICTNESS.indexOf(from);
  return from === to ? [] : [{ what, from, to, looser }];
}

/** Lists changed outcomes of scopes. Omits `mcp://a/…` if `mcp://a` changed in the same way. */
function scopeSteps(before: Profile, after: Profile) {
  const step = (scope: string, shown: string) =>
    outcomeStep(`connector ${shown}`, scopeOutcome(scope, before), scopeOutcome(scope, after));
  return [...sampleScopes(before, after)].flatMap(([scope, shown]) => {
    const [alone] = step(scope, shown);
    const [longer] = scope === '' ? [] : step(`${scope}/`, `${shown}/…`);
    const isSame = alone?.from === longer?.from && alone?.to === longer?.to;
    return [alone, isSame ? undefined : longer].filter((each) => each !== undefined);
  });
}

function scopeOutcome(scope: string, profile: Profile): string {
  const { rules } = evaluate({ connector: { scope } }, profile);
  return rules.find(({ rule }) => rule === 'connector_scope')?.outcome ?? 'deny';
}

const NAME_CHARS = [...'abcdefghijklmnopqrstuvwxyz0123456789._-'];

/** Returns the scopes to evaluate under both profiles, and a text to show for each scope. */
function sampleScopes(...profiles: readonly Profile[]): ReadonlyMap<string, string> {
  const lists = profiles.flatMap(({ connector: { deny, require_approval, allow } }) =>
    [deny, require_approval, allow].flat(),
  );
  const entries = [...new Set(lists.map((entry) => entry.toLowerCase()))];
  const unlisted = (prefix: string) => {
    const isFree = (char: string) => !entries.some((entry) => entry.startsWith(prefix + char));
    return `${prefix}${NAME_CHARS.find(isFree) ?? '~'}`;
  };
  const samples = new Map([['', 'without a scope']]);
  for (const entry of entries) {
    const scope = entry.replace('*', '');
    samples.set(scope, scope);
    if (entry.endsWith('*')) samples.set(unlisted(scope), entry);
  }
  return samples.set(unlisted('mcp://'), 'any other scope');
}
