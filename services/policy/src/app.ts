import { createServer, localTelemetry, type Server, type ServerOptions } from '@gatehouse/service';
import type { PolicyConfig } from './config.ts';
import { decisionReporter } from './decision-report.ts';
import { documentation } from './documentation.ts';
import { measureProfiles } from './policy-metrics.ts';
import { ProfilesInForce } from './profiles/in-force.ts';
import { createProfileReader } from './profiles/reader.ts';
import { reloader, warnOfCallers } from './profiles/reload.ts';
import { watchForChange } from './profiles/watch.ts';
import { serveBatch } from './routes/batch.ts';
import { MAX_CHECK_BYTES, serveCheck } from './routes/check.ts';
import { serveProfile } from './routes/profile.ts';
import { selfTest } from './self-test.ts';

/** Defaults: the profile of the specification, looser ones are accepted, no amounts in the log. */
export type PolicyDeps = Pick<ServerOptions, 'logger' | 'access' | 'load' | 'telemetry'> &
  Partial<Pick<PolicyConfig, 'profileFile' | 'acceptLoosening' | 'logAmounts'>>;

export interface PolicyServer extends Server {
  /** Reads the profile file again, if there is one, once nobody writes it. */
  readonly reload: () => void;
}

/** The policy service, not listening yet. */
export async function buildApp({
  profileFile,
  acceptLoosening = true,
  telemetry = localTelemetry(),
  logAmounts = false,
  ...options
}: PolicyDeps): Promise<PolicyServer> {
  const inForce = new ProfilesInForce(profileFile?.profiles);
  const app = await createServer({
    ...options,
    telemetry,
    maxRequestBytes: MAX_CHECK_BYTES,
    selfTest: () => inForce.current.all.forEach(selfTest),
    documentation,
  });
  const { registry } = telemetry;
  measureProfiles(registry, inForce);
  const report = decisionReporter(telemetry, logAmounts);
  serveCheck(app, { inForce, report });
  serveBatch(app, { inForce, report });
  serveProfile(app, inForce);
  const { logger, access } = options;
  if (profileFile === undefined) {
    const reload = () => logger.info('nothing to read again: POLICY_PROFILE_FILE is not set');
    return Object.assign(app, { reload });
  }
  const { path, profiles } = profileFile;
  const reader = createProfileReader();
  const { isSettled, readAgain, stop } = watchForChange(path, () => reload());
  const deps = { path, reader, inForce, acceptLoosening, isSettled, logger, registry };
  const reload = reloader({ ...deps, tokens: access?.tokens });
  warnOfCallers(profiles, access?.tokens, logger);
  app.addHook('onClose', () => {
    stop();
    return reader.close();
  });
  return Object.assign(app, { reload: readAgain });
}
