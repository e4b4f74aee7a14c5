import type { Profile } from '@gatehouse/policy-engine';

export interface Profiles {
  readonly default: Profile;
  readonly all: readonly Profile[];
  /** Profiles, keyed by the name of the caller. */
  readonly callers: ReadonlyMap<string, Profile>;
}

export function profilesOf(profile: Profile): Profiles {
  return { default: profile, all: [profile], callers: new Map() };
}

/**
 * Returns the profile for a caller, or the default profile if the caller has no name or no profile
 * of its own.
 */
export function profileFor(profiles: Profiles, caller: string | undefined): Profile {
  if (caller === undefined) return profiles.default;
  return profiles.callers.get(caller) ?? profiles.default;
}
