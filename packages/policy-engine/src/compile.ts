import { Profile, type Violation } from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import type { Rule } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';

/** In the order in which they answer (spec `policy-service.md` section 2). */
const RULES = [spendLimit, piiGuardrail, legalCompliance, connectorScope];

const compiled = new WeakMap<Profile, readonly Rule[]>();

const checkShape = compileCheck(Profile, {}, Number.POSITIVE_INFINITY);

/** The message has a line for each violation: its JSON Pointer and what is allowed. */
export class InvalidProfile extends Error {
  override readonly name = 'InvalidProfile';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map(
      ({ pointer, message }) => `${pointer || 'The profile'} ${message}`,
    );
    super(['Correct the profile.', ...lines].join('\n'));
    this.violations = violations;
  }
}

/**
 * The rules of a profile. Checked and made once for each profile object.
 * @throws InvalidProfile unless it matches the `Profile` schema, with its limit within its ceiling.
 */
export function compileProfile(profile: Profile): readonly Rule[] {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const violations = violationsOf(profile);
  if (violations.length > 0) throw new InvalidProfile(violations);
  const rules = RULES.map((rule) => rule(profile));
  compiled.set(profile, rules);
  return rules;
}

function violationsOf(profile: Profile): Violation[] {
  const checked = checkShape(profile);
  const violations = checked.ok ? [] : checked.violations;
  const { autoAllowMajorUnits: limit, ceilingMajorUnits: ceiling } = profile?.spend ?? {};
  if (ceiling < limit) {
    const message = `must be at least the limit, ${limit}`;
    violations.push({ pointer: '/spend/ceilingMajorUnits', message });
  }
  return violations;
}
