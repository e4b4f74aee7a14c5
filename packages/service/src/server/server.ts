import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ProblemCode } from '@gatehouse/contracts';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Access, OPEN_ACCESS } from '../access/access.ts';
import { listener, logHandshakes } from '../access/tls.ts';
import { type Documentation, serveDocumentation } from '../documentation/documentation.ts';
import { LOGGER, requestLogger } from '../log/log-fields.ts';
import type { Logger } from '../log/logger.ts';
import { logRequests } from '../log/request-log.ts';
import { answerClientErrors } from '../problems/client-errors.ts';
import { serveProblemPages } from '../problems/problem-pages.ts';
import { ProblemReply, sendProblem, toProblemReply } from '../problems/problem-reply.ts';
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
  readonly maxRequestBytes: number;
  /** Top-level body members that handlers get unparsed, as a `JsonText`. */
  readonly passedOn?: ReadonlySet<string>;
  /** Default: any caller over plain HTTP. */
  readonly access?: Access;
  /** Default: no limits. */
  readonly load?: LoadLimits;
  /** Must pass before the service is ready. Throws or rejects with the reason. */
  readonly selfTest?: () => void | Promise<void>;
  /** Served at `/openapi.json` and `/docs`. Default: neither exists. */
  readonly documentation?: Documentation;
  /** Default: only `GET /metrics`. */
  readonly telemetry?: Telemetry;
  /** Default: `CLIENT_TIMES`. */
  readonly clientTimes?: Partial<ClientTimes>;
}

/** Builds a Fastify server (docs/contract.md, "Both services") that does not listen yet. */
export async function createServer(options: ServerOptions) {
  const { logger, maxRequestBytes, documentation } = options;
  const parts = createParts(options);
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
  // Response schemas only document; they must not change what is sent.
  app.setSerializerCompiler(() => JSON.stringify);
  // Set before plugins, because they keep the error handler present at their registration.
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

function createParts({ telemetry = localTelemetry(), ...options }: ServerOptions): ServerParts {
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

const SEND_ALL = 'Send the whole body and wait for the reply.';

function errorHandler(countProblem: (code: ProblemCode) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The caller disconnected while sending its body, so this is not an internal error.
    if (error === request.raw.errored || request.raw.socket.destroyed)
      return sendProblem(new ProblemReply('MalformedRequest', SEND_ALL), request, reply);
    const known = toProblemReply(error, request.routeOptions.bodyLimit);
    // Fastify closes the connection by default, which could lose the reply. We discard the rest
    // of the body instead.
    if (known.code === 'PayloadTooLarge') reply.removeHeader('connection');
    countProblem(known.code);
    if (known.code === 'InternalError')
      requestLogger(request).error({ err: error }, 'request failed');
    return sendProblem(known, request, reply);
  };
}
