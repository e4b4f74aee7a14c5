import type { Profile } from './profile.ts';
import type { Rule } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** In the order in which they answer (spec `policy-service.md` section 2). */
const RULES = [spendLimit, piiGuardrail, legalCompliance, connectorScope];

const compiled = new WeakMap<Profile, readonly Rule[]>();

/** The rules of a profile. Made once for each profile object. */
export function compileProfile(profile: Profile): readonly Rule[] {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const rules = RULES.map((rule) => rule(profile));
  compiled.set(profile, rules);
  return rules;
}
