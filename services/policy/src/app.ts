import { compileProfile, defaultProfile } from '@gatehouse/policy-engine';
import { profilesOf, watchedFile } from '@gatehouse/policy-profile';
import { createServer, localTelemetry, type Server, type ServerOptions } from '@gatehouse/service';
import type { PolicyConfig } from './config.ts';
import { decisionReport } from './decision-report.ts';
import { documentation, MAX_CHECK_BYTES } from './documentation.ts';
import {
  measureProfiles,
  type ProfilesInForce,
  reloader,
  warnOfCallers,
} from './profile-reload.ts';
import { serveBatch } from './routes/batch.ts';
import { serveCheck } from './routes/check.ts';
import { serveProfile } from './routes/profile.ts';

/** Uses the default profile by default, accepts a looser one later, and logs no amounts. */
export type PolicyDeps = Pick<ServerOptions, 'logger' | 'access' | 'load' | 'telemetry'> &
  Partial<Pick<PolicyConfig, 'profileFile' | 'acceptLoosening' | 'logAmounts'>>;

export interface PolicyServer extends Server {
  /** Reads the profile file again, if one is set, once it has stopped changing. */
  readonly reload: () => void;
}

/** Builds the policy service, which does not listen yet. */
export async function buildApp({
  profileFile,
  acceptLoosening = true,
  telemetry = localTelemetry(),
  logAmounts = false,
  ...options
}: PolicyDeps): Promise<PolicyServer> {
  const { logger, access } = options;
  const { registry } = telemetry;
  const inForce: ProfilesInForce = { current: profileFile?.profiles ?? profilesOf(defaultProfile) };
  const app = await createServer({
    ...options,
    telemetry,
    maxRequestBytes: MAX_CHECK_BYTES,
    selfTest: () => inForce.current.all.forEach(compileProfile),
    documentation,
  });
  measureProfiles(registry, inForce);
  const report = decisionReport(telemetry, logAmounts);
  serveCheck(app, { inForce, report });
  serveBatch(app, { inForce, report });
  serveProfile(app, inForce);
  if (profileFile === undefined) {
    const reload = () => logger.info('nothing to reload because POLICY_PROFILE_FILE is not set');
    return Object.assign(app, { reload });
  }
  const { path, profiles } = profileFile;
  const deps = { path, inForce, acceptLoosening, tokens: access?.tokens, logger, registry };
  const file = watchedFile(path, reloader(deps));
  app.addHook('onClose', async () => file.stop());
  warnOfCallers(profiles, access?.tokens, logger);
  return Object.assign(app, { reload: file.readAgain });
}
