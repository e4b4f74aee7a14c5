import {
  type Clock,
  createExaminer,
  createExecutor,
  createSandbox,
  type GuardedConnectOptions,
  redactionRules,
  undiciTransport,
} from '@gatehouse/http-executor';
import {
  createServer,
  type Logger,
  localTelemetry,
  type Server,
  type Telemetry,
} from '@gatehouse/service';
import { type ExecutorConfig, SETTING_NAMES } from './config.ts';
import { documentation } from './documentation.ts';
import { executionTelemetry } from './execution-telemetry.ts';
import { serveExecute } from './routes/execute.ts';
import { serveSandbox } from './routes/sandbox.ts';
import { selfTest } from './self-test.ts';

export interface ExecutorDeps {
  readonly config: ExecutorConfig;
  readonly logger: Logger;
  readonly telemetry?: Telemetry;
  /** A clock other than the system's, for tests. */
  readonly clock?: Clock;
  /**
   * How names are resolved and which certificates are trusted, where not as the system
   * does.
   */
  readonly connect?: GuardedConnectOptions;
}

/** Members of an action of which not a character is changed. */
const PASSED_ON: ReadonlySet<string> = new Set(['body', 'response_schema']);

/** The executor, wired to undici, not listening yet. */
export function buildApp({
  config,
  logger,
  clock,
  connect,
  telemetry = localTelemetry(),
}: ExecutorDeps): Server {
  const sandbox = createSandbox(config.allowedHosts, config.allowedNetworks, SETTING_NAMES);
  const examiner = createExaminer(config.limits.maxResponseBytes);
  const { access, load, maxRequestBytes } = config;
  const test = () => selfTest(sandbox, examiner);
  const app = createServer({
    ...{ logger, telemetry, access, load, maxRequestBytes, documentation },
    selfTest: test,
    passedOn: PASSED_ON,
  });
  const transport = undiciTransport(sandbox, { ownPort: () => portOf(app), ...connect });
  const draining = new AbortController();
  app.lifecycle.onDraining(() => draining.abort());
  app.addHook('onClose', transport.close);
  app.addHook('onClose', examiner.close);
  const executor = createExecutor({
    sandbox,
    transport: transport.send,
    preview: transport.preview,
    limits: config.limits,
    concurrency: config.concurrency,
    draining: draining.signal,
    examiner,
    redaction: redactionRules(config.headerMode, {
      masked: config.redactedHeaders,
      shown: config.shownHeaders,
    }),
    ...(clock === undefined ? {} : { clock }),
  });
  serveExecute(app, executor, executionTelemetry(telemetry, sandbox));
  serveSandbox(app, config);
  return app;
}

function portOf({ server }: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
