import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Reloadable } from '@gatehouse/config-file';
import Fastify, { type FastifyRequest } from 'fastify';
import { type Access, OPEN_ACCESS } from '../access/access.ts';
import { listenerOptions, logHandshakes, replaceTls, type Tls } from '../access/tls.ts';
import { type Documentation, serveDocumentation } from '../docs/documentation.ts';
import { serveProblemPages } from '../docs/problem-pages.ts';
import { answerClientErrors } from '../http/client-errors.ts';
import { parseJsonStrictly } from '../http/input.ts';
import { originForm, requestIdOf } from '../http/request-head.ts';
import { strictValidator } from '../http/validators.ts';
import { type LoadLimits, NO_LIMITS } from '../limits/load.ts';
import { CLIENT_TIMES, type ClientTimes } from '../limits/slow-clients.ts';
import { discardUnreadBodies } from '../limits/unread-bodies.ts';
import { LOGGER, type Logger, logRequests } from '../observe/logger.ts';
import {
  countCallers,
  measureRequests,
  problemCounter,
  trackInFlight,
} from '../observe/metrics.ts';
import { localTelemetry, type Telemetry } from '../observe/telemetry.ts';
import { errorHandler } from './error-handler.ts';
import { addHooks, answerUnrouted } from './hooks.ts';
import { serveHealth, serveMetrics } from './routes.ts';

export interface ServerOptions {
  readonly logger: Logger;
  readonly maxRequestBytes: number;
  /**
   * Members whose values are passed to handlers as unparsed `JsonText`, as paths of at most three
   * steps, such as `body` or `checks/[]/action`.
   */
  readonly passedOn?: ReadonlySet<string>;
  /** Default: anyone can call the service over plain HTTP. */
  readonly access?: Access;
  readonly load?: LoadLimits;
  /** Returns what the service lacks to be ready, as a sentence, or undefined. */
  readonly missing?: () => string | undefined;
  /** Documentation to serve at `/openapi.json` and `/docs`. Default: neither path exists. */
  readonly documentation?: Documentation;
  /** If undefined, `GET /metrics` still returns metrics, but the service exports no traces. */
  readonly telemetry?: Telemetry;
  readonly clientTimes?: Partial<ClientTimes>;
  /** Polling interval of reloadable files in milliseconds. Default: 1000 */
  readonly pollMs?: number | undefined;
}

/** Builds a Fastify server (docs/contract.md, "Both services"), but does not start it. */
export async function createServer(options: ServerOptions) {
  const { logger, maxRequestBytes, documentation } = options;
  const parts = createParts(options);
  const { access, clientTimes, draining, inFlight, telemetry } = parts;
  const countProblem = problemCounter(telemetry.registry);
  const answerError = errorHandler(countProblem);
  const app = Fastify({
    bodyLimit: maxRequestBytes,
    genReqId: requestIdOf,
    clientErrorHandler: answerClientErrors((refused) => {
      countProblem(refused.code);
      logger.info(refused, 'malformed request');
    }, clientTimes.discardMs),
    frameworkErrors: answerUnrouted(parts, answerError),
    return503OnClosing: false,
    rewriteUrl: originForm,
    // Allow long path parameters, because Fastify's error about their length would become a 500.
    routerOptions: { maxParamLength: maxHeaderSize },
    requestTimeout: clientTimes.requestMs,
    ...listenerOptions(access.tls, clientTimes),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorate(LOGGER, logger);
  for (const name of ['caller', 'added', 'span']) app.decorateRequest(name, undefined);
  app.setValidatorCompiler(strictValidator('InvalidRequest'));
  // Response schemas are only documentation and must not change replies.
  app.setSerializerCompiler(() => JSON.stringify);
  // Set the error handler before registering plugins, because plugins ignore a handler set later.
  app.setErrorHandler(answerError);
  parseJsonStrictly(app, options.passedOn);
  if (access.tls !== undefined) logHandshakes(app.server, logger);
  await addHooks(app, parts);
  if (documentation !== undefined) await serveDocumentation(app, documentation);
  serveHealth(app, draining.signal, options.missing ?? (() => undefined));
  serveProblemPages(app);
  serveMetrics(app, telemetry.registry);
  const setTls = (tls: Tls) => replaceTls(app.server, tls);
  /** Files that are reloaded when they change, and on SIGHUP. */
  const files: Reloadable[] = access.reload?.({ logger, setTls, pollMs: options.pollMs }) ?? [];
  app.addHook('onClose', async () => {
    for (const file of files) file.stop();
  });
  return Object.assign(app, { files, draining, inFlight });
}

function createParts({ telemetry = localTelemetry(), ...options }: ServerOptions) {
  const { registry } = telemetry;
  const { access = OPEN_ACCESS, load = NO_LIMITS } = options;
  const observers = [
    logRequests(options.logger),
    measureRequests(registry),
    countCallers(registry),
  ];
  const inFlight = trackInFlight(registry, observers);
  const clientTimes = { ...CLIENT_TIMES, ...options.clientTimes };
  const discardUnreadBody = discardUnreadBodies(clientTimes.discardMs, load.maxInFlight);
  const own = {
    clientTimes,
    closing: new WeakSet<Socket>(),
    discardUnreadBody,
    draining: new AbortController(),
    inFlight,
    queued: new WeakMap(),
  };
  return { ...own, access, load, telemetry };
}

export type Server = Awaited<ReturnType<typeof createServer>>;
export type Request = FastifyRequest;
