import { DIGEST_HEADER, POLICY_PATHS } from '@gatehouse/contracts';
import { compileProfile } from '@gatehouse/policy';
import { profileFor } from '@gatehouse/policy/files';
import type { Server } from '@gatehouse/service';
import { profileSchema } from '../documentation.ts';
import type { ProfilesInForce } from '../profile-reload.ts';

/** Serves `GET /policy/profile` (docs/contract.md, "Profile"). */
export function serveProfile(app: Server, inForce: ProfilesInForce): void {
  app.get(POLICY_PATHS.profile, { schema: profileSchema }, ({ caller }, reply) => {
    const profile = profileFor(inForce.current, caller);
    const { digest } = compileProfile(profile);
    reply.header(DIGEST_HEADER, digest).send({ profile, digest });
  });
}
