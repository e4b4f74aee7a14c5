import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ProblemCode } from '@gatehouse/contracts';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Access, OPEN_ACCESS } from '../access/access.ts';
import { listener, logHandshakes } from '../access/tls.ts';
import type { Remainder } from '../connections/drop-rest.ts';
import { waitForBodies } from '../connections/unread-bodies.ts';
import { READING_PACE, type ReadingPace } from '../connections/unread-replies.ts';
import { type Documentation, serveDocumentation } from '../documentation/documentation.ts';
import { LOGGER, loggerOf } from '../log/log-fields.ts';
import type { Logger } from '../log/logger.ts';
import { logRequests } from '../log/request-log.ts';
import { answerClientErrors } from '../problems/client-errors.ts';
import { brokenOff, sendProblem, toProblemError } from '../problems/problem-error.ts';
import { serveProblemPages } from '../problems/problem-pages.ts';
import { parseJsonStrictly } from '../request/json-body.ts';
import { countedIds, requestIdOf } from '../request/request-id.ts';
import { strictValidatorCompiler } from '../request/validation.ts';
import { measureProcess } from '../telemetry/metrics/process-metrics.ts';
import {
  countCallers,
  measureInFlight,
  measureRequests,
  problemCounter,
} from '../telemetry/metrics/request-metrics.ts';
import { serveMetrics } from '../telemetry/metrics/serve-metrics.ts';
import { localTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { EventLoopDelay } from './event-loop.ts';
import { serveHealth } from './health.ts';
import { addHooks, answerUnrouted, type ServerParts } from './hooks.ts';
import { trackInFlight } from './in-flight.ts';
import { Lifecycle } from './lifecycle.ts';
import { type LoadLimits, NO_LIMITS } from './overload.ts';

/** How long a client may take; then its connection closes, within a handshake without 408. */
export interface ClientTimes {
  readonly handshakeMs: number;
  /** INVARIANT: below that of the request; Node swaps the two otherwise. */
  readonly headersMs: number;
  /** From the first byte of a request to its last. */
  readonly requestMs: number;
  /** How often Node looks for headers and requests that are late. */
  readonly checkMs: number;
}

/** Node's default for handshakes is two minutes. */
export const CLIENT_TIMES: ClientTimes = {
  handshakeMs: 10_000,
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5_000,
};

const httpOptions = ({ headersMs, checkMs }: ClientTimes) => ({
  headersTimeout: headersMs,
  connectionsCheckingInterval: checkMs,
  // A hook requires it, and answers with a problem.
  requireHostHeader: false,
});

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
  readonly readingPace?: ReadingPace;
  readonly clientTimes?: ClientTimes;
  /** How much of a body that is not wanted is read, and for how long. */
  readonly remainder?: Remainder;
}

/** A Fastify server that behaves as contract section 1 says; it does not listen yet. */
export async function createServer(options: ServerOptions) {
  const { logger, maxRequestBytes, documentation, passedOn, clientTimes = CLIENT_TIMES } = options;
  const parts = partsOf(options);
  const { access, lifecycle, inFlight, telemetry } = parts;
  const countProblem = problemCounter(telemetry.registry);
  const answerError = errorHandler(countProblem);
  const newId = countedIds();
  const app = Fastify({
    bodyLimit: maxRequestBytes,
    genReqId: (request) => requestIdOf(request, newId),
    clientErrorHandler: answerClientErrors(countProblem, logger),
    frameworkErrors: answerUnrouted(parts, answerError),
    return503OnClosing: false,
    requestTimeout: clientTimes.requestMs,
    ...listener(access.tls, clientTimes.handshakeMs, httpOptions(clientTimes)),
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.decorate(LOGGER, logger);
  for (const name of ['caller', 'added', 'span']) app.decorateRequest(name, undefined);
  addHooks(app, parts);
  logHandshakes(app.server, logger);
  parseJsonStrictly(app, passedOn);
  app.setValidatorCompiler(strictValidatorCompiler);
  // Response schemas are for readers.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(answerError);
  if (documentation !== undefined) await serveDocumentation(app, documentation);
  serveHealth(app, lifecycle);
  serveProblemPages(app);
  serveMetrics(app, telemetry.registry);
  return Object.assign(app, { lifecycle, inFlight });
}

function partsOf({ telemetry = localTelemetry(), ...options }: ServerOptions): ServerParts {
  const { registry } = telemetry;
  const loop = new EventLoopDelay();
  const inFlight = trackInFlight([
    logRequests(options.logger),
    measureRequests(registry),
    countCallers(registry),
  ]);
  measureProcess(telemetry, loop);
  measureInFlight(registry, inFlight);
  return {
    access: options.access ?? OPEN_ACCESS,
    afterBody: waitForBodies(options.remainder),
    inFlight,
    lifecycle: new Lifecycle(options.selfTest),
    load: options.load ?? NO_LIMITS,
    logger: options.logger,
    loop,
    readingPace: options.readingPace ?? READING_PACE,
    telemetry,
  };
}

export type Server = Awaited<ReturnType<typeof createServer>>;
export type Request = FastifyRequest;

function errorHandler(countProblem: (code: ProblemCode) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The caller has gone amid its body: no failure of ours, and nobody reads the reply.
    if (error === request.raw.errored || request.raw.socket.destroyed)
      return sendProblem(brokenOff(), request, reply);
    const known = toProblemError(error, request.routeOptions.bodyLimit);
    // Fastify would close the connection, but the rest of the body is dropped instead.
    if (known.code === 'PayloadTooLarge') reply.removeHeader('connection');
    countProblem(known.code);
    if (known.code === 'InternalError') loggerOf(request).error({ err: error }, 'request failed');
    return sendProblem(known, request, reply);
  };
}
