import { defaultProfile } from '@gatehouse/policy-engine';
import { createServer, localTelemetry, type Server, type ServerOptions } from '@gatehouse/service';
import { documentation } from './documentation.ts';
import { type ProfileFor, serveCheck } from './routes/check.ts';
import { serveProfile } from './routes/profile.ts';
import { selfTest } from './self-test.ts';

/** For its benchmark. */
export { decisionCounter } from './decision-metrics.ts';

/** Bodies of checks are small: 64 KiB (contract, section 1). */
const MAX_REQUEST_BYTES = 64 * 1024;

export interface PolicyDeps
  extends Pick<ServerOptions, 'logger' | 'access' | 'load' | 'telemetry'> {
  /** Default: the profile of the specification, for every caller. */
  readonly profileFor?: ProfileFor;
  /** Whether the log shows what a check would spend; default false. */
  readonly logAmounts?: boolean;
}

/** The policy service, not listening yet. */
export function buildApp({
  profileFor = () => defaultProfile,
  telemetry = localTelemetry(),
  logAmounts = false,
  ...options
}: PolicyDeps): Server {
  const app = createServer({
    ...options,
    telemetry,
    maxRequestBytes: MAX_REQUEST_BYTES,
    selfTest: () => selfTest(profileFor(undefined)),
    documentation,
  });
  serveCheck(app, { profileFor, telemetry, logAmounts });
  serveProfile(app, profileFor);
  return app;
}
