import { Profile, type Violation } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { contradictionsIn } from './contradictions.ts';
import { lowerAscii } from './scopes.ts';

export interface CompiledProfile {
  readonly profile: Profile;
  /** Scopes on the profile's deny, approval and allow lists, in lower case. */
  readonly scopes: Readonly<Record<'deny' | 'require_approval' | 'allow', readonly string[]>>;
  /** SHA-256 of the profile as canonical JSON (RFC 8785), in hexadecimal. */
  readonly digest: string;
}

const compiled = new WeakMap<Profile, CompiledProfile>();

const validate = compileValidator(Profile);

/** Validates a profile, computes its digest and caches the result. @throws InvalidProfile */
export function compileProfile(profile: Profile): CompiledProfile {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const checked = validate(profile);
  const violations = checked.ok ? contradictionsIn(profile) : checked.violations;
  if (violations.length > 0) throw new InvalidProfile(violations);
  // Copy the profile, so that later changes to the caller's object have no effect.
  const copy: Profile = JSON.parse(JSON.stringify(profile));
  const digest = bytesToHex(sha256(utf8ToBytes(canonicalJson(copy))));
  const scopes = {
    deny: copy.connector.deny.map(lowerAscii),
    require_approval: copy.connector.require_approval.map(lowerAscii),
    allow: copy.connector.allow.map(lowerAscii),
  };
  const made = { profile: copy, scopes, digest };
  compiled.set(profile, made);
  return made;
}

/** Returns canonical JSON (RFC 8785). Profiles have no integer keys, which would not be sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => {
    if (typeof member !== 'object' || Array.isArray(member)) return member;
    const sorted = Object.keys(member).sort();
    return Object.fromEntries(sorted.map((key) => [key, member[key]]));
  });
}

/** Error that lists all violations, one per line, such as `/pii/missing must be one of …`. */
export class InvalidProfile extends Error {
  override readonly name = 'InvalidProfile';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    const lines = violations.map((each) => `${each.pointer || 'The profile'} ${each.message}`);
    super(['Correct the profile.', ...lines].join('\n'));
    this.violations = violations;
  }
}
