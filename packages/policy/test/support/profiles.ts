import fc from 'fast-check';
import { completeProfile, type Profile, type ProfileSource } from '../../src/index.ts';
import { TABLE_CURRENCIES } from './currencies.ts';
import { CATEGORIES, FLAGS, STRICTNESS } from './decision-table.ts';

const outcome = fc.constantFrom(...STRICTNESS);
const strict = fc.constantFrom('require_approval', 'deny');

/**
 * Limit, ceiling that is not below the limit, and highest user limit, which is 0 or between the
 * two.
 */
const limits = (unit: 'major' | 'minor', most: number) =>
  fc
    .tuple(fc.nat({ max: most }), fc.nat({ max: most }), fc.nat({ max: most }), fc.boolean())
    .map(([limit, above, between, raisable]) => ({
      [`limit_${unit}_units`]: limit,
      [`ceiling_${unit}_units`]: limit + above,
      [`max_user_limit_${unit}_units`]: raisable ? limit + Math.min(between, above) : 0,
    }));

const byLabel = (labels: readonly string[]) =>
  fc.record(Object.fromEntries(labels.map((label) => [label, outcome])), { requiredKeys: [] });

const NAMES = ['calendar', 'CRM', 'email', 'root', 'team-a', 'team-*', 'billing', 'te*', 'x.y_z'];
const names = fc.subarray(NAMES).map((list) => list.map((name) => `mcp://${name}`));

const source = fc.record({
  name: fc.constantFrom('own', 'A.b_c-9'),
  version: fc.constantFrom('1', '2026-11-22'),
  spend: fc
    .record({
      all: limits('major', 700),
      currencies: fc.dictionary(fc.constantFrom(...TABLE_CURRENCIES), limits('minor', 90_000), {
        maxKeys: 4,
      }),
      missing: strict,
    })
    .map(({ all, currencies, missing }) => ({ ...all, currencies, missing })),
  pii: fc.record({ categories: byLabel(CATEGORIES), missing: strict }),
  legal: fc.record({ flags: byLabel(FLAGS), missing: strict }),
  connector: fc.record({
    deny: names,
    require_approval: names,
    allow: names,
    unlisted: strict,
    missing: fc.constantFrom('no_entry', 'require_approval', 'deny'),
  }),
});

/** Random valid profile. Scopes that could never match are removed. */
export const profile: fc.Arbitrary<Profile> = source.map((made) => {
  const { connector } = made;
  for (const list of ['deny', 'require_approval', 'allow'] as const)
    connector[list] = connector[list].filter((scope) => answers(scope, list, connector));
  return completeProfile(made as unknown as ProfileSource);
});

type Lists = Record<'deny' | 'require_approval' | 'allow', string[]>;

function answers(scope: string, list: keyof Lists, { deny, require_approval, allow }: Lists) {
  const before = { deny: [], require_approval: deny, allow: [...deny, ...require_approval] }[list];
  const others = { deny, require_approval, allow }[list].filter((other) => other !== scope);
  return ![...before, ...others].some((other) =>
    other.endsWith('*')
      ? scope.toLowerCase().startsWith(other.slice(0, -1).toLowerCase())
      : scope.toLowerCase() === other.toLowerCase(),
  );
}
