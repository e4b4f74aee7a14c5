import type { Profile } from '@gatehouse/policy-engine';

/** The profiles of a file. */
export interface Profiles {
  /** Of callers that have none of their own. */
  readonly default: Profile;
  readonly all: readonly Profile[];
  /** By the name of a caller's token. */
  readonly callers: ReadonlyMap<string, Profile>;
}

/** One profile for all callers. */
export function profilesOf(profile: Profile): Profiles {
  return { default: profile, all: [profile], callers: new Map() };
}

/** What a caller is judged by; undefined: one without a name. */
export function profileFor(profiles: Profiles, caller: string | undefined): Profile {
  if (caller === undefined) return profiles.default;
  return profiles.callers.get(caller) ?? profiles.default;
}
