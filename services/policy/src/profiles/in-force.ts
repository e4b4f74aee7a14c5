import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { type Profiles, profileFor, profilesOf } from '@gatehouse/policy-profile';

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
