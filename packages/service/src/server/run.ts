import { channel } from 'node:diagnostics_channel';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import closeWithGrace from 'close-with-grace';
import { type Access, accessWarnings } from '../access/access.ts';
import { createLogger, createTerminalLogger, type Logger } from '../log/logger.ts';
import type { TerminalLines } from '../log/terminal.ts';
import type { LoadLimits } from '../request/before-body.ts';
import { type BindAddress, type Environment, SettingsError } from '../settings/settings.ts';
import type { TraceConfig } from '../settings/telemetry-settings.ts';
import { startTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { Server } from './server.ts';

export interface ServiceConfig {
  readonly bind: BindAddress;
  /** Warnings about settings, logged at startup. */
  readonly warnings?: readonly string[];
  /** Name of the setting that `bind` comes from. */
  readonly bindSetting: string;
  readonly access: Access;
  readonly logLevel: string;
  readonly load: LoadLimits;
  /**
   * Time for which the service still accepts requests after a stop signal, because load balancers
   * notice the shutdown late.
   */
  readonly shutdownDelayMs: number;
  readonly shutdownGraceMs: number;
  /** If undefined, no traces are exported. */
  readonly traces?: TraceConfig | undefined;
}

/** Maximum number of pending connections. If more arrive, even a probe is delayed by a second. */
const BACKLOG = 8_192;

/** Diagnostics channel that notifies modules preloaded into the process when `/readyz` is 200. */
const READY_CHANNEL = 'gatehouse.ready';

/**
 * Maximum time to wait for clients to close their connections. An active client sends its next
 * request within this time.
 */
const IDLE_MS = 500;
const IDLE_POLL_MS = 10;

/** Maximum time for which a slow log reader can delay the exit of the process. */
const FLUSH_MS = 2_000;

interface ServiceDefinition<C extends ServiceConfig> {
  readonly name: string;
  readonly version: string;
  readonly readConfig: (env: Environment) => C;
  readonly build: (config: C, logger: Logger, telemetry: Telemetry) => Promise<Server>;
  readonly terminalLines?: TerminalLines;
}

/**
 * Runs a service until SIGTERM or SIGINT, then shuts it down and exits with 0. A second signal ends
 * the process immediately. On SIGHUP, watched files are read again. After a bad setting, a bad
 * address or an uncaught error, the process exits with 1 and a message.
 */
export async function runService<C extends ServiceConfig>(definition: ServiceDefinition<C>) {
  const { name, version, terminalLines = {} } = definition;
  const config = configure(definition);
  const { bind } = config;
  const logger = process.stdout.isTTY
    ? createTerminalLogger(name, config.logLevel, terminalLines)
    : createLogger(name, config.logLevel);
  const service = { name: `gatehouse-${name}`, version };
  const telemetry = await startTelemetry(service, config.traces, logger);
  const app = await definition.build(config, logger, telemetry);
  process.on('SIGHUP', () => {
    if (app.files.length === 0)
      logger.info('nothing to reload because no setting names a file that can change');
    for (const file of app.files) file.readAgain();
  });
  closeWithGrace({ delay: false, logger, skip: ['SIGHUP'] }, async (ending) => {
    const failed = 'err' in ending;
    if (failed) logger.fatal({ err: errorOf(ending.err) }, 'uncaught error');
    else logger.info({ signal: ending.signal }, 'shutting down');
    await shutDown(app, failed ? { ...config, shutdownDelayMs: 0 } : config, logger);
    // After a rejection without a value, such as `Promise.reject()`, close-with-grace would exit
    // with 0.
    if (failed) process.exit(1);
  });
  try {
    logger.info(`listening at ${await app.listen({ ...bind, backlog: BACKLOG })}`);
    for (const warning of [...(config.warnings ?? []), ...accessWarnings(config)])
      logger.warn(warning);
    app.lifecycle.ready.then(() => {
      logger.info('ready');
      channel(READY_CHANNEL).publish({});
    });
  } catch (error) {
    fail(`${name} cannot listen: ${listenError(error as Error, config)}`);
  }
}

/** Drains, waits for the delay, closes within the grace period and flushes the log. */
async function shutDown(app: Server, config: ServiceConfig, logger: Logger): Promise<void> {
  const { shutdownDelayMs, shutdownGraceMs } = config;
  app.lifecycle.drain();
  if (shutdownDelayMs > 0) await delay(shutdownDelayMs);
  const closed = await Promise.race([close(app), delay(shutdownGraceMs, false)]);
  if (!closed) logger.warn(`not all requests finished within SHUTDOWN_GRACE_MS=${shutdownGraceMs}`);
  // Without the flush, the process would end before a slow reader has read the last lines.
  await Promise.race([new Promise<unknown>((done) => logger.flush(done)), delay(FLUSH_MS)]);
}

/**
 * Gives clients time to close idle connections, because closing a connection ourselves could lose a
 * request that is on its way.
 */
async function close(app: Server): Promise<true> {
  const connections = promisify(app.server.getConnections.bind(app.server));
  for (let waitedMs = 0; waitedMs < IDLE_MS; waitedMs += IDLE_POLL_MS) {
    if ((await connections()) <= app.inFlight.count) break;
    await delay(IDLE_POLL_MS);
  }
  await app.close();
  return true;
}

function listenError({ code, message }: Error & { code?: string }, config: ServiceConfig): string {
  const { bind, bindSetting } = config;
  if (code !== 'EADDRINUSE') return `${message}; set ${bindSetting} to a different address.`;
  const inUse = `port ${bind.port} on ${bind.host} is in use`;
  return `${inUse}; end the process that uses it, or change ${bindSetting}.`;
}

function errorOf(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(`The thrown value \`${String(thrown)}\` is not an error`);
}

function configure<C extends ServiceConfig>({ name, readConfig }: ServiceDefinition<C>): C {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return fail(`${name} cannot start; correct these settings:\n${error.message}`);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
