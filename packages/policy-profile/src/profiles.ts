import type { Profile } from '@gatehouse/policy-engine';

export interface Profiles {
  readonly default: Profile;
  readonly all: readonly Profile[];
  /** Profiles, keyed by the name of a caller's token. */
  readonly callers: ReadonlyMap<string, Profile>;
}

export function profilesOf(profile: Profile): Profiles {
  return { default: profile, all: [profile], callers: new Map() };
}

/** Returns the profile for a caller. `caller` is the name of its token, if the token has a name. */
export function profileFor(profiles: Profiles, caller: string | undefined): Profile {
  if (caller === undefined) return profiles.default;
  return profiles.callers.get(caller) ?? profiles.default;
}
