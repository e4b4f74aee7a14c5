import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { type Access, createServer, type LoadLimits, type Logger, type Server } from '@gatehouse/service';
import { documentation } from './documentation.ts';
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
  const test = () => selfTest(profile);
  const app = createServer({ ...deps, maxRequestBytes: MAX_REQUEST_BYTES, selfTest: test, documentation });
  serveCheck(app, profile);
  return app;
}
