import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { type Access, createServer, type LoadLimits, type Logger, type Server } from '@gatehouse/service';

import { serveCheck } from './routes/check.ts';
import { selfTest } from './self-test.ts';

/** Bodies of checks are small: 64 KiB (contract, section 1). */
const MAX_REQUEST_BYTES = 64 * 1024;

export interface PolicyDeps {
  readonly logger: Logger;
  readonly profile?: Profile;
  readonly access?: Access;
  readonly load?: LoadLimits;
}

/** The policy service, not listening yet. */
export function buildApp({ profile = defaultProfile, ...deps }: PolicyDeps): Server {
  const app = createServer({ ...deps, maxRequestBytes: MAX_REQUEST_BYTES, selfTest: () => selfTest(profile) });
  serveCheck(app, profile);
  return app;
}
