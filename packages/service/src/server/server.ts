import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ProblemCode } from '@gatehouse/contracts';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Access, OPEN_ACCESS } from '../access/access.ts';
import { listener, logHandshakes } from '../access/tls.ts';
import { type Documentation, serveDocumentation } from '../documentation/documentation.ts';
import { LOGGER, loggerOf } from '../log/log-fields.ts';
import type { Logger } from '../log/logger.ts';
import { logRequests } from '../log/request-log.ts';
import { answerClientErrors } from '../problems/client-errors.ts';
import { serveProblemPages } from '../problems/problem-pages.ts';
import { brokenOff, sendProblem, toProblemReply } from '../problems/problem-reply.ts';
import { parseJsonStrictly } from '../request/json-body.ts';
import { requestIdOf } from '../request/request-id.ts';
import { strictValidatorCompiler } from '../request/validation.ts';
import {
  countCallers,
  measureInFlight,
  measureRequests,
  problemCounter,
  serveMetrics,
} from '../telemetry/metrics.ts';
import { localTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { CLIENT_TIMES, type ClientTimes } from './client-times.ts';
import { serveHealth } from './health.ts';
import { addHooks, answerUnrouted, type ServerParts } from './hooks.ts';
import { trackInFlight } from './in-flight.ts';
import { Lifecycle } from './lifecycle.ts';
import { type LoadLimits, NO_LIMITS } from './overload.ts';

export interface ServerOptions {
  readonly logger: Logger;
  /** Larger request bodies are refused with 413. */
  readonly maxRequestBytes: number;
  /** Outermost members of bodies that handlers get as a `JsonText`, as they are written. */
  readonly passedOn?: ReadonlySet<string>;
  /** Default: any caller, over plain HTTP. */
  readonly access?: Access;
  /** Default: no limits. */
  readonly load?: LoadLimits;
  /** Has to pass before the service is ready; throws or rejects with what is wrong. */
  readonly selfTest?: () => void | Promise<void>;
  /** Served at `/openapi.json` and `/docs`, which are not there without it. */
  readonly documentation?: Documentation;
  /** Default: `GET /metrics` alone. */
  readonly telemetry?: Telemetry;
  /** Default: `CLIENT_TIMES`. */
  readonly clientTimes?: Partial<ClientTimes>;
}

/** A Fastify server that behaves as contract section 1 says; it does not listen yet. */
export async function createServer(options: ServerOptions) {
  const { logger, maxRequestBytes, documentation } = options;
  const parts = partsOf(options);
  const { access, clientTimes, lifecycle, inFlight, telemetry } = parts;
  const countProblem = problemCounter(telemetry.registry);
  const answerError = errorHandler(countProblem);
  const app = Fastify({
    bodyLimit: maxRequestBytes,
    genReqId: requestIdOf,
    clientErrorHandler: answerClientErrors(countProblem),
    frameworkErrors: answerUnrouted(parts, answerError),
    return503OnClosing: false,
    requestTimeout: clientTimes.requestMs,
    ...listener(access.tls, clientTimes),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorate(LOGGER, logger);
  for (const name of ['caller', 'added', 'span']) app.decorateRequest(name, undefined);
  app.setValidatorCompiler(strictValidatorCompiler);
  // Response schemas are for readers.
  app.setSerializerCompiler(() => JSON.stringify);
  // Plugins keep the error handler that is there when they are registered.
  app.setErrorHandler(answerError);
  parseJsonStrictly(app, options.passedOn);
  logHandshakes(app.server, logger);
  await addHooks(app, parts);
  if (documentation !== undefined) await serveDocumentation(app, documentation);
  serveHealth(app, lifecycle);
  serveProblemPages(app);
  serveMetrics(app, telemetry.registry);
  return Object.assign(app, { lifecycle, inFlight });
}

function partsOf({ telemetry = localTelemetry(), ...options }: ServerOptions): ServerParts {
  const { registry } = telemetry;
  const { access = OPEN_ACCESS, load = NO_LIMITS, logger } = options;
  const observers = [logRequests(logger), measureRequests(registry), countCallers(registry)];
  const inFlight = trackInFlight(observers);
  measureInFlight(registry, inFlight);
  const clientTimes = { ...CLIENT_TIMES, ...options.clientTimes };
  const lifecycle = new Lifecycle(options.selfTest);
  return { access, clientTimes, inFlight, lifecycle, load, logger, telemetry };
}

export type Server = Awaited<ReturnType<typeof createServer>>;
export type Request = FastifyRequest;

function errorHandler(countProblem: (code: ProblemCode) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The caller has gone amid its body: no failure of ours, and nobody reads the reply.
    if (error === request.raw.errored || request.raw.socket.destroyed)
      return sendProblem(brokenOff(), request, reply);
    const known = toProblemReply(error, request.routeOptions.bodyLimit);
    // Fastify would close the connection, but the rest of the body is dropped instead.
    if (known.code === 'PayloadTooLarge') reply.removeHeader('connection');
    countProblem(known.code);
    if (known.code === 'InternalError') loggerOf(request).error({ err: error }, 'request failed');
    return sendProblem(known, request, reply);
  };
}
