import { defaultProfile, type Profile } from '@gatehouse/policy-engine';
import {
  type Access,
  createServer,
  type LoadLimits,
  type Logger,
  localTelemetry,
  type Server,
  type Telemetry,
} from '@gatehouse/service';
import { documentation } from './documentation.ts';
import { serveCheck } from './routes/check.ts';
import { selfTest } from './self-test.ts';

/** What a check records, for the benchmark of it. */
export { decisionRecorder } from './decision-metrics.ts';

/** Bodies of checks are small: 64 KiB (contract, section 1). */
const MAX_REQUEST_BYTES = 64 * 1024;

export interface PolicyDeps {
  readonly logger: Logger;
  readonly profile?: Profile;
  readonly access?: Access;
  readonly load?: LoadLimits;
  readonly telemetry?: Telemetry;
  /** Whether the log line of a check shows what it would spend; not when absent. */
  readonly logAmounts?: boolean;
}

/** The policy service, not listening yet. */
export function buildApp({ logAmounts = false, ...deps }: PolicyDeps): Server {
  const { profile = defaultProfile, telemetry = localTelemetry() } = deps;
  const test = () => selfTest(profile);
  const app = createServer({
    ...deps,
    telemetry,
    maxRequestBytes: MAX_REQUEST_BYTES,
    selfTest: test,
    documentation,
  });
  serveCheck(app, profile, telemetry, logAmounts);
  return app;
}
