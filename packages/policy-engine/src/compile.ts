import { Profile } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import { contradictionsIn } from './profile/contradictions.ts';
import { digestOf } from './profile/digest.ts';
import { InvalidProfile } from './profile/invalid-profile.ts';
import { type ScopePatterns, scopePatterns } from './profile/scope-patterns.ts';

/** What the rules need of a profile. */
export interface CompiledProfile {
  readonly profile: Profile;
  readonly scopes: ScopePatterns;
  /** SHA-256 of the profile's canonical JSON (RFC 8785), in hexadecimal. */
  readonly digest: string;
}

const compiled = new WeakMap<Profile, CompiledProfile>();

const checkShape = compileValidator(Profile, {}, Number.POSITIVE_INFINITY);

/**
 * Checks and compiles a profile, once for each profile object.
 * @throws InvalidProfile unless it matches the `Profile` schema, without contradictions.
 */
export function compileProfile(profile: Profile): CompiledProfile {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const checked = checkShape(profile);
  const violations = checked.ok ? contradictionsIn(profile) : checked.violations;
  if (violations.length > 0) throw new InvalidProfile(violations);
  // Copied, so that changing the profile later has no effect.
  const copy: Profile = JSON.parse(JSON.stringify(profile));
  const made = { profile: copy, scopes: scopePatterns(copy.connector), digest: digestOf(copy) };
  compiled.set(profile, made);
  return made;
}
