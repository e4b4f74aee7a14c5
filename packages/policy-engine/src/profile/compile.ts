import { Profile, type Violation } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/validation';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { contradictionsIn } from './contradictions.ts';
import { type ScopePatterns, scopePatterns } from './scope-patterns.ts';

/** What the rules need of a profile. */
export interface CompiledProfile {
  readonly profile: Profile;
  readonly scopes: ScopePatterns;
  /** SHA-256 of the profile's canonical JSON (RFC 8785), in hexadecimal. */
  readonly digest: string;
}

const compiled = new WeakMap<Profile, CompiledProfile>();

const validate = compileValidator(Profile, {}, Number.POSITIVE_INFINITY);

/**
 * Checks and compiles a profile, once for each profile object.
 * @throws InvalidProfile unless it matches the `Profile` schema, without contradictions.
 */
export function compileProfile(profile: Profile): CompiledProfile {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const checked = validate(profile);
  const violations = checked.ok ? contradictionsIn(profile) : checked.violations;
  if (violations.length > 0) throw new InvalidProfile(violations);
  // Copied, so that changing the profile later has no effect.
  const copy: Profile = JSON.parse(JSON.stringify(profile));
  const digest = bytesToHex(sha256(utf8ToBytes(canonicalJson(copy))));
  const made = { profile: copy, scopes: scopePatterns(copy.connector), digest };
  compiled.set(profile, made);
  return made;
}

/** RFC 8785, for what a profile holds: no key of digits alone, no half of a surrogate pair. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => {
    if (typeof member !== 'object' || Array.isArray(member)) return member;
    const sorted = Object.keys(member).sort();
    return Object.fromEntries(sorted.map((key) => [key, member[key]]));
  });
}

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
