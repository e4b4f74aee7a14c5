import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import { createServer, type Logger, type Server } from '@gatehouse/service';

import { serveCheck } from './routes/check.ts';

/** Bodies of checks are small: 64 KiB (contract, section 1). */
const MAX_REQUEST_BYTES = 64 * 1024;

/** The policy service, not listening yet. */
export function buildApp(deps: { logger: Logger; profile?: Profile }): Server {
  const app = createServer({ logger: deps.logger, maxRequestBytes: MAX_REQUEST_BYTES });
  serveCheck(app, deps.profile ?? defaultProfile);
  return app;
}
