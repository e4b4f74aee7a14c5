import { createSandbox, type DecisionKeys, openExecutor } from '@gatehouse/http-executor';
import { createServer, localTelemetry, type ServerOptions } from '@gatehouse/service';
import { type ExecutorConfig, SETTING_NAMES } from './config.ts';
import { FoundKeys } from './decision-keys.ts';
import { reloadDestinations } from './destinations-reload.ts';
import { documentation } from './documentation.ts';
import { executionTelemetry } from './execution-telemetry.ts';
import { serveExecute } from './routes/execute.ts';
import { serveSandbox } from './routes/sandbox.ts';
import { openStore } from './store/open-store.ts';

interface ExecutorDeps extends Pick<ServerOptions, 'logger' | 'telemetry'> {
  readonly config: ExecutorConfig;
}

const NO_KEYS =
  'Try again later, because this executor has no usable keys of the policy service yet.';

const NO_STORE =
  'Try again later, because this executor cannot reach its store of idempotency keys and used tokens.';

function decisionRules({ access, decisionIssuer: issuer }: ExecutorConfig, keys?: DecisionKeys) {
  if (keys === undefined) return {};
  const namesCallers = (access.tokens ?? access.certificateCaller) !== undefined;
  return { decisions: { keys, issuer, namesCallers } };
}

export async function buildApp({ config, logger, telemetry = localTelemetry() }: ExecutorDeps) {
  const { access, load } = config;
  const { maxRequestBytes } = config.limits;
  const sandbox = createSandbox(config.allowedHosts, config.allowedNetworks, SETTING_NAMES);
  const keys = config.decisionKeys && new FoundKeys(config.decisionKeys, logger);
  const opened =
    config.storeLocation && (await openStore(config.storeLocation, config.keyTtlS, logger));
  const app = await createServer({
    ...{ access, documentation, load, logger, maxRequestBytes, telemetry },
    passedOn: new Set(['body', 'query', 'response_schema']),
    missing: () => {
      if (keys?.isUsable === false) return NO_KEYS;
      return opened?.isAvailable() === false ? NO_STORE : undefined;
    },
  });
  const { executor, use, close } = openExecutor(
    sandbox,
    { ...config, ...decisionRules(config, keys), ...(opened && { store: opened.store }) },
    {
      ownPort: () => {
        const address = app.server.address();
        return typeof address === 'object' ? address?.port : undefined;
      },
      draining: app.draining.signal,
    },
  );
  app.addHook('onClose', async () => {
    await close();
    await opened?.store.close();
  });
  if (keys !== undefined) app.files.push(keys.follow());
  serveExecute(app, executor, executionTelemetry(telemetry));
  serveSandbox(app, config, sandbox);
  const { destinations: loaded } = config;
  if (loaded === undefined) return app;

  use(loaded);
  const { registry } = telemetry;
  app.files.push(reloadDestinations({ loaded, use, access, logger, registry }));
  return app;
}
