import { compileProfile, defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { type Profiles, profileFor, profilesOf } from '@gatehouse/policy-profile';
import type { Metrics } from '@gatehouse/service';

/** The profiles that requests are judged by now; replaced as a whole. */
export class ProfilesInForce {
  current: Profiles;

  constructor(start = profilesOf(defaultProfile)) {
    this.current = start;
  }

  /** INVARIANT: a request asks once, so that it sees one profile. */
  for(caller: string | undefined): Profile {
    return profileFor(this.current, caller);
  }
}

/** One series for each profile in force. */
export function measureProfiles(metrics: Metrics, inForce: ProfilesInForce): void {
  const definition = {
    name: 'policy.profile.info',
    unit: '{profile}',
    help: 'The profiles in force, each with its version and digest; always 1.',
    labels: ['profile', 'version', 'digest'],
  };
  metrics.readOnExport('gauge', definition, () =>
    inForce.current.all.map((profile) => {
      const { name, version } = profile;
      return [{ profile: name, version, digest: compileProfile(profile).digest }, 1] as const;
    }),
  );
}
