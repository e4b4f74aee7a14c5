import { defaultProfile } from '@gatehouse/policy';
import { profilesOf } from '@gatehouse/policy/files';
import { createServer, localTelemetry, type Server, type ServerOptions } from '@gatehouse/service';
import type { PolicyConfig } from './config.ts';
import { decisionReport } from './decision-report.ts';
import { documentation } from './documentation.ts';
import { measureProfiles, type ProfilesInForce, reloadProfiles } from './profile-reload.ts';
import { serveApprovals } from './routes/approvals.ts';
import { serveBatch } from './routes/batch.ts';
import { serveCheck } from './routes/check.ts';
import { serveKeys } from './routes/keys.ts';
import { serveProfile } from './routes/profile.ts';
import { reloadSigningKeys } from './signing/reload.ts';
import { Signer } from './signing/signer.ts';

interface PolicyDeps extends Pick<ServerOptions, 'logger' | 'telemetry' | 'pollMs'> {
  readonly config: PolicyConfig;
}

export async function buildApp({
  config,
  logger,
  telemetry = localTelemetry(),
  pollMs,
}: PolicyDeps): Promise<Server> {
  const { access, load, maxRequestBytes, profileFile, signing } = config;
  const { registry } = telemetry;
  const inForce: ProfilesInForce = { current: profileFile?.profiles ?? profilesOf(defaultProfile) };
  const app = await createServer({
    ...{ access, documentation, load, logger, maxRequestBytes, pollMs, telemetry },
    passedOn: new Set(['action', 'checks/[]/action']),
  });
  measureProfiles(registry, inForce);
  const { name } = inForce.current.default;
  logger.info(`The profile \`${name}\` is in force.`);
  const report = decisionReport(telemetry, config.logAmounts, inForce.current.default);
  const { issuer, requestTtlS } = config;
  const signer = signing && new Signer(signing.keys, { issuer, requestTtlS });
  if (signing !== undefined && signer !== undefined)
    app.files.push(reloadSigningKeys(signing.path, signer, logger, pollMs));
  serveCheck(app, { inForce, report, signer });
  serveBatch(app, { inForce, report, signer });
  serveProfile(app, inForce);
  serveKeys(app, signer);
  const approvers = access.approverTokens?.callers;
  serveApprovals(app, { inForce, signer, registry, approvers });
  if (profileFile === undefined) return app;

  const { path } = profileFile;
  const { acceptLoosening } = config;
  const shared = { acceptLoosening, access, logger, registry, pollMs };
  app.files.push(reloadProfiles({ path, inForce, ...shared }));
  return app;
}
