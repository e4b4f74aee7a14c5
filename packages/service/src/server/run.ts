import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { type Access, accessWarnings } from '../access/access.ts';
import { waitForIdleConnections } from '../connections/idle.ts';
import { createLogger, type Logger } from '../log/logger.ts';
import { type BindAddress, type Environment, SettingsError } from '../settings.ts';
import type { TelemetryConfig } from '../telemetry/settings.ts';
import { startTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { InFlight } from './in-flight.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LoadLimits } from './overload.ts';

/** What every service's configuration has. */
export interface ServiceConfig {
  readonly bind: BindAddress;
  readonly access: Access;
  readonly logLevel: string;
  readonly load: LoadLimits;
  /**
   * How long to go on taking requests after a signal, so that whoever routes them learns
   * that this replica ends.
   */
  readonly shutdownDelayMs: number;
  readonly shutdownGraceMs: number;
  /** Without it nothing is exported; `GET /metrics` is always there. */
  readonly otel?: TelemetryConfig;
}

/** The part of a Fastify instance that running it takes. */
interface Runnable {
  readonly lifecycle: Pick<Lifecycle, 'drain'>;
  readonly inFlight: InFlight;
  readonly server: Server;
  listen(options: BindAddress & { backlog: number }): Promise<string>;
  close(): PromiseLike<unknown>;
}

/**
 * Connections that wait to be accepted, as far as the system allows. Beyond it, the
 * system drops the first packet of a connection, be it of a probe, and its client tries
 * again after a second at the earliest; Node would allow 511.
 */
const BACKLOG = 8_192;

/**
 * How long the end waits for who reads the log; what is left is written without regard
 * for that.
 */
const FLUSH_MS = 2_000;

export interface ServiceDefinition<C extends ServiceConfig> {
  readonly name: string;
  readonly version: string;
  readonly readConfig: (env: Environment) => C;
  readonly build: (config: C, logger: Logger, telemetry: Telemetry) => Runnable;
}

/**
 * Runs a service until SIGTERM or SIGINT: reads the configuration, listens, and on a
 * signal stops being ready, stops accepting after the delay, finishes what is in flight
 * within the grace, flushes the log and exits 0; a second signal exits at once. A bad
 * setting or an address that cannot be used ends the process with code 1 and a message
 * that says what to change; an uncaught error is logged and ends it with 1, too.
 */
export async function runService<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
): Promise<void> {
  const { name, version } = definition;
  const config = configure(definition);
  const logger = createLogger(name, config.logLevel);
  const telemetry = await startTelemetry(
    { name: `gatehouse-${name}`, version },
    config.otel,
    logger,
  );
  const app = definition.build(config, logger, telemetry);
  closeWithGrace({ delay: false, logger }, async (ending) => {
    const failed = 'err' in ending;
    if (failed) logger.fatal({ err: errorOf(ending.err) }, 'uncaught error');
    else logger.info({ signal: ending.signal }, 'shutting down');
    app.lifecycle.drain();
    if (!failed) await delay(config.shutdownDelayMs);
    const closed = await Promise.race([finish(app), delay(config.shutdownGraceMs, false)]);
    if (!closed)
      logger.warn(`not all requests finished within SHUTDOWN_GRACE_MS=${config.shutdownGraceMs}`);
    // What is being written when the process ends is cut off where its reader has not
    // kept up.
    await Promise.race([new Promise<unknown>((done) => logger.flush(done)), delay(FLUSH_MS)]);
    // The library takes an error without a value, such as `Promise.reject()`, for none.
    if (failed) process.exit(1);
  });
  try {
    logger.info(`listening at ${await app.listen({ ...config.bind, backlog: BACKLOG })}`);
    for (const warning of accessWarnings(config.access, config.bind)) logger.warn(warning);
  } catch (error) {
    fail(
      `${name} cannot listen on ${config.bind.host}:${config.bind.port}: ${(error as Error).message}`,
    );
  }
}

async function finish(app: Runnable): Promise<true> {
  await waitForIdleConnections(app.server, app.inFlight);
  await app.close();
  return true;
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`${String(thrown)} was thrown, which is no error`);
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
