import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { accessWarnings } from '../access/access.ts';
import { createLogger, createTerminalLogger, type Logger } from '../observe/logger.ts';
import { startTelemetry, type Telemetry } from '../observe/telemetry.ts';
import type { Summaries } from '../observe/terminal.ts';
import type { Server } from './server.ts';
import type { readServiceSettings } from './service-settings.ts';
import { type BindAddress, type Environment, SettingsError } from './settings.ts';

type ServiceConfig = ReturnType<typeof readServiceSettings<object>>['config'] & {
  readonly bind: BindAddress;
};

/** Size of the accept queue. If the accept queue is full, even a health probe waits 1 s. */
const BACKLOG = 8_192;

/** Milliseconds that the server waits for clients to close idle connections. */
const IDLE_MS = 500;
const IDLE_POLL_MS = 10;

/** Time that requests have to write their log lines after they were cut off. */
const CUT_OFF_MS = 500;

/** Maximum time that the process waits for a slow log reader before it exits. */
const FLUSH_MS = 2_000;

interface ServiceDefinition<C extends ServiceConfig> {
  readonly name: string;
  readonly version: string;
  readonly readConfig: (env: Environment) => C;
  readonly build: (config: C, logger: Logger, telemetry: Telemetry) => Promise<Server>;
  readonly summaries?: Summaries;
}

/**
 * Runs a service until SIGTERM, SIGINT or SIGQUIT, then shuts it down and exits with 0. A second
 * signal ends the process immediately. SIGHUP reloads files. A bad setting, a bad address
 * or an uncaught error ends the process with a message and exit code 1.
 */
export async function runService<C extends ServiceConfig>(definition: ServiceDefinition<C>) {
  const { name, version, summaries = {} } = definition;
  const config = configure(definition);
  const { bind } = config;
  const logger = process.stdout.isTTY
    ? await createTerminalLogger(name, config.logLevel, summaries)
    : createLogger(name, config.logLevel);
  const service = { name: `gatehouse-${name}`, version };
  const telemetry = await startTelemetry(service, config.traces, logger);
  const app = await definition
    .build(config, logger, telemetry)
    .catch((error) => refuse(name, error));
  process.on('SIGHUP', () => {
    if (app.files.length === 0)
      logger.info('nothing to reload, because no setting points to a reloadable file');
    for (const file of app.files) file.readAgain();
  });
  closeWithGrace({ delay: false, logger, skip: ['SIGHUP'] }, async (ending) => {
    const failed = 'err' in ending;
    if (failed) logger.fatal({ err: uncaughtError(ending.err) }, 'uncaught error');
    else logger.info({ signal: ending.signal }, 'shutting down');
    await shutDown(app, failed ? { ...config, shutdownDelayMs: 0 } : config, logger);
    // If a promise is rejected without a value, close-with-grace exits with 0. Exit with 1 instead.
    if (failed) process.exit(1);
  });
  try {
    logger.info(`listening at ${await app.listen({ ...bind, backlog: BACKLOG })}`);
    const exposed = accessWarnings(config.access, bind, config.bindSetting);
    for (const warning of [...config.warnings, ...exposed]) logger.warn(warning);
  } catch (error) {
    exitUnstarted(`${name} cannot listen: ${listenError(error as Error, config)}`);
  }
}

async function shutDown(app: Server, config: ServiceConfig, logger: Logger): Promise<void> {
  const { shutdownDelayMs, shutdownGraceMs } = config;
  app.draining.abort();
  if (shutdownDelayMs > 0) await delay(shutdownDelayMs);
  if (await Promise.race([closeServer(app), delay(shutdownGraceMs, true)])) {
    logger.warn(`not all requests finished within SHUTDOWN_GRACE_MS=${shutdownGraceMs}`);
    // Cut off the remaining requests now, so that the log says which ones were cut off.
    app.server.closeAllConnections();
    await delay(CUT_OFF_MS);
  }
  // Flush the log, because the process would otherwise exit before all lines are written.
  await Promise.race([new Promise<unknown>((done) => logger.flush(done)), delay(FLUSH_MS)]);
}

/**
 * Closes the server, but first waits for clients to close idle connections. If the server closed a
 * connection while a request was on its way, the request would be lost.
 */
async function closeServer(app: Server): Promise<void> {
  const connections = promisify(app.server.getConnections.bind(app.server));
  for (let waitedMs = 0; waitedMs < IDLE_MS; waitedMs += IDLE_POLL_MS) {
    if ((await connections()) <= app.inFlight.count) break;
    await delay(IDLE_POLL_MS);
  }
  await app.close();
}

function listenError({ code, message }: Error & { code?: string }, config: ServiceConfig): string {
  const { bind, bindSetting } = config;
  if (code !== 'EADDRINUSE') return `${message}; set ${bindSetting} to a different address.`;
  const inUse = `port ${bind.port} on ${bind.host} is in use`;
  const other = `set ${bindSetting} to another port, such as 127.0.0.1:${otherPort(bind)}`;
  return `${inUse}; end the process that uses it, or ${other}.`;
}

/** Returns a port to suggest, which differs between services. */
function otherPort({ port }: BindAddress): number {
  return port > 60_000 ? port - 100 : port + 100;
}

function uncaughtError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(`The thrown value \`${String(thrown)}\` is not an error`);
}

function configure<C extends ServiceConfig>({ name, readConfig }: ServiceDefinition<C>): C {
  try {
    return readConfig(process.env);
  } catch (error) {
    return refuse(name, error);
  }
}

function refuse(name: string, error: unknown): never {
  if (!(error instanceof SettingsError)) throw error;
  return exitUnstarted(`${name} cannot start; correct these settings:\n${error.message}`);
}

function exitUnstarted(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
