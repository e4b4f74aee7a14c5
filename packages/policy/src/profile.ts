import { Profile, ProfileSource, type Violation } from '@gatehouse/contracts';
import { compileValidator } from '@gatehouse/contracts/validation';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { compileActions } from './actions/http-action.ts';
import { actionContradictions, completeActions } from './actions/settings.ts';
import { RULE_TABLE } from './rules/table.ts';

const checkSource = compileValidator(ProfileSource);

/** Adds the default value of each missing member to a profile. @throws InvalidProfile */
export function completeProfile(source: ProfileSource): Profile {
  const checked = checkSource(source);
  if (!checked.ok) throw new InvalidProfile(checked.violations);
  const { name, version = '1', actions } = source;
  const sections = RULE_TABLE.map(({ section, complete }) => {
    return [section, complete(source[section] ?? {})];
  });
  const profile: Profile = {
    ...{ name, version, ...Object.fromEntries(sections) },
    ...(actions && { actions: completeActions(actions) }),
  };
  const violations = contradictionsIn(profile).map((each) => withDefaultHint(each, source));
  if (violations.length > 0) throw new InvalidProfile(violations);
  return profile;
}

/** Finds profile mistakes that the schema cannot catch, such as a limit above the ceiling. */
function contradictionsIn(profile: Profile): Violation[] {
  const inSections = RULE_TABLE.flatMap(({ section, contradictions }) => {
    const found = contradictions?.(profile[section]) ?? [];
    return found.map(({ pointer, message }) => ({ pointer: `/${section}${pointer}`, message }));
  });
  return [...inSections, ...actionContradictions(profile.actions)];
}

/** Adds a hint to the message if the invalid value is a default rather than a value in `source`. */
function withDefaultHint({ pointer, message }: Violation, source: ProfileSource): Violation {
  let value: unknown = source;
  for (const member of pointer.split('/').slice(1)) value = Object(value)[member];
  const hint = value === undefined ? '; the profile omits this member, so its default applies' : '';
  return { pointer, message: `${message}${hint}` };
}

/** Built-in profile with the limits and lists from `policy-service.md`, sections 4 and 8. */
export const defaultProfile = completeProfile({ name: 'default' });

export interface CompiledProfile {
  readonly profile: Profile;
  /** SHA-256 of the profile as canonical JSON (RFC 8785), in hexadecimal. */
  readonly digest: string;
  readonly rules: ReturnType<typeof compileRules>;
  /** Applies the rule `http_action`, if the profile has a section `actions`. */
  readonly judgeAction: ReturnType<typeof compileActions> | undefined;
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
  const digest = bytesToHex(sha256(utf8ToBytes(String(canonicalize(copy)))));
  const judgeAction = copy.actions && compileActions(copy.actions);
  const made = { profile: copy, digest, rules: compileRules(copy), judgeAction };
  compiled.set(profile, made);
  return made;
}

function compileRules(profile: Profile) {
  return RULE_TABLE.map(({ name, section, missing: detail, compile }) => {
    const settings = profile[section];
    const missing = { outcome: settings.missing, detail };
    return { name, section, missing, apply: compile(settings) };
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
