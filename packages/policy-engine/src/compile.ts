import { Profile } from '@gatehouse/contracts';
import { compileCheck } from '@gatehouse/validation';
import { contradictionsIn } from './profile/contradictions.ts';
import { digestOf } from './profile/digest.ts';
import { InvalidProfile } from './profile/invalid-profile.ts';
import type { Answer, Rule } from './rule.ts';
import { connectorScope } from './rules/connector-scope.ts';
import { legalCompliance } from './rules/legal-compliance.ts';
import { piiGuardrail } from './rules/pii-guardrail.ts';
import { spendLimit } from './rules/spend-limit.ts';
import { type Ruling, rulings } from './ruling.ts';

/** In the order in which they answer (spec `policy-service.md` section 2). */
const RULES = [spendLimit, piiGuardrail, legalCompliance, connectorScope];

export interface CompiledProfile {
  readonly rules: readonly Rule[];
  readonly rulingOn: (answers: readonly Answer[]) => Ruling;
  /** SHA-256 of the profile's canonical JSON (RFC 8785), in hexadecimal. */
  readonly digest: string;
  /** What its records say of it, in JSON. */
  readonly recordHead: string;
}

const compiled = new WeakMap<Profile, CompiledProfile>();

const checkShape = compileCheck(Profile, {}, Number.POSITIVE_INFINITY);

/**
 * The rules of a profile. Checked and made once for each profile object.
 * @throws InvalidProfile unless it matches the `Profile` schema, without contradictions.
 */
export function compileProfile(profile: Profile): CompiledProfile {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const checked = checkShape(profile);
  const violations = checked.ok ? contradictionsIn(profile) : checked.violations;
  if (violations.length > 0) throw new InvalidProfile(violations);
  // A copy: a later change of the profile has no effect.
  const copy: Profile = JSON.parse(JSON.stringify(profile));
  const rules = RULES.map((rule) => rule(copy));
  const digest = digestOf(profile);
  const recordHead = `"profile":"${profile.name}","digest":"${digest}",`;
  const made = { rules, rulingOn: rulings(), digest, recordHead };
  compiled.set(profile, made);
  return made;
}
