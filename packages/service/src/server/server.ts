import { setTimeout as delay } from 'node:timers/promises';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ProblemCode } from '@gatehouse/contracts';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Access, OPEN_ACCESS } from '../access/access.ts';
import { authenticate, refusal } from '../access/authentication.ts';
import { allowOrigins } from '../access/cors.ts';
import { listener, logHandshakes } from '../access/tls.ts';
import { cutOffUnread, READING_PACE, type ReadingPace } from '../connections/unread-answers.ts';
import { type AfterBody, waitForBodies } from '../connections/unread-bodies.ts';
import { type Documentation, serveDocumentation } from '../documentation/documentation.ts';
import { loggerOf } from '../log/log-fields.ts';
import type { Logger } from '../log/logger.ts';
import { logRequests } from '../log/request-log.ts';
import { answerClientErrors } from '../problems/client-errors.ts';
import { brokenOff, sendProblem, toProblemError } from '../problems/problem.ts';
import { serveProblemPages } from '../problems/problem-pages.ts';
import { parseJsonStrictly } from '../request/json-body.ts';
import { judgeHeads, requireHost } from '../request/request-head.ts';
import { countedIds, REQUEST_ID_HEADER, requestIdOf } from '../request/request-id.ts';
import { strictValidatorCompiler } from '../request/validation.ts';
import { problemCounter } from '../telemetry/metrics/problem-metrics.ts';
import { measureProcess } from '../telemetry/metrics/process-metrics.ts';
import { measureActive, measureRequests } from '../telemetry/metrics/request-metrics.ts';
import { serveMetrics } from '../telemetry/metrics/serve-metrics.ts';
import { localTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { traceRequests } from '../telemetry/trace-requests.ts';
import { batchSends } from './batched-sends.ts';
import { serveHealth } from './health.ts';
import { type RequestsInFlight, trackInFlight } from './in-flight.ts';
import { Lifecycle } from './lifecycle.ts';
import { type LoadLimits, shedLoad } from './overload.ts';
import { answerUnknownPaths } from './paths.ts';

const SELF_TEST_EVERY_MS = 1_000;

/**
 * From the first byte of a request to its last; a slow client is answered with 408 and
 * disconnected.
 */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * INVARIANT: below the request timeout; Node swaps the two otherwise, and a slow body has
 * the longer time.
 */
const HEADERS_TIMEOUT_MS = 15_000;

/** Node looks for overdue requests this often, so that one may take as much longer. */
const TIMEOUT_CHECK_MS = 5_000;

const HTTP_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // Required by a hook, which answers with a problem.
  requireHostHeader: false,
};

export interface ServerOptions {
  readonly logger: Logger;
  /** Larger request bodies are refused with 413. */
  readonly maxRequestBytes: number;
  /**
   * Outermost members of request bodies that handlers get as a `JsonText`, as they are
   * written.
   */
  readonly passedOn?: ReadonlySet<string>;
  /** Open to whoever reaches it, over plain HTTP, when absent. */
  readonly access?: Access;
  /** None when absent. */
  readonly load?: LoadLimits;
  /** What has to succeed before the service is ready; rejects with what is wrong. */
  readonly selfTest?: () => void | Promise<void>;
  /** Served at `/openapi.json` and `/docs`; neither is there without it. */
  readonly documentation?: Documentation;
  /**
   * Where it is exported, too; without it there are the metrics at `GET /metrics` alone.
   */
  readonly telemetry?: Telemetry;
  readonly readingPace?: ReadingPace;
}

/**
 * A Fastify server that behaves as contract section 1 says, whatever it serves: strict
 * validation, problem details for all that goes wrong, request ids, one log line per
 * request, health. It does not listen yet.
 */
export function createServer({
  logger,
  maxRequestBytes,
  access = OPEN_ACCESS,
  ...options
}: ServerOptions) {
  const {
    load,
    selfTest,
    documentation,
    passedOn = new Set(),
    telemetry = localTelemetry(),
  } = options;
  const { readingPace = READING_PACE } = options;
  const countProblem = problemCounter(telemetry.metrics);
  const answerError = errorHandler(countProblem);
  const afterBody = waitForBodies();
  const lifecycle = new Lifecycle(selfTest);
  const newId = countedIds();
  const app = Fastify({
    bodyLimit: maxRequestBytes,
    genReqId: (request) => requestIdOf(request, newId),
    clientErrorHandler: answerClientErrors(countProblem),
    frameworkErrors: (error, request, reply) => {
      // A URL that cannot be read meets no hook: it is followed, logged and authenticated
      // from here.
      inFlight.follow(request, reply);
      const refused = access.tokens && refusal(access.tokens, request, reply);
      afterBody(request, reply, () => answerError(refused ?? error, request, reply));
    },
    return503OnClosing: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    ...listener(access.tls, HTTP_OPTIONS),
  }).withTypeProvider<TypeBoxTypeProvider>();
  paceAnswers(app, afterBody, readingPace);
  const inFlight = observe(app, lifecycle, logger, telemetry);
  requireHost(app);
  if (load !== undefined) shedLoad(app, inFlight, load);
  parseJsonStrictly(app, passedOn);
  app.setValidatorCompiler(strictValidatorCompiler);
  app.setErrorHandler(answerError);
  admitCallers(app, access, logger);
  answerUnknownPaths(app);
  judgeHeads(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
  if (documentation !== undefined)
    serveDocumentation(app, documentation, access.tokens !== undefined);
  serveHealth(app, lifecycle);
  app.addHook('onListen', () => start(lifecycle, logger));
  app.addHook('preClose', async () => lifecycle.drain());
  serveProblemPages(app);
  serveMetrics(app, telemetry.metrics);
  return Object.assign(app, { lifecycle, inFlight });
}

/** When answers are written, and for how long callers may take to read them. */
function paceAnswers(app: FastifyInstance, afterBody: AfterBody, readingPace: ReadingPace): void {
  batchSends(app);
  app.addHook('onSend', (request, reply, _payload, done) => afterBody(request, reply, done));
  cutOffUnread(app, readingPace);
}

/** Who may call, from where, and over which connection. */
function admitCallers(
  app: FastifyInstance,
  { tls, corsOrigins, tokens }: Access,
  logger: Logger,
): void {
  if (tls !== undefined) logHandshakes(app, logger);
  if (corsOrigins.size > 0) allowOrigins(app, corsOrigins);
  if (tokens !== undefined) authenticate(app, tokens);
}

/**
 * A service is not ready before its self-test has passed, and says so in its log; a busy
 * machine may need several tries.
 */
async function start(lifecycle: Lifecycle, logger: Logger): Promise<void> {
  while (lifecycle.state === 'starting') {
    try {
      await lifecycle.start();
    } catch (error) {
      // A service that is told to end amid its self-test is not broken.
      if (lifecycle.state === 'starting') logger.fatal({ err: error }, 'self-test failed');
      await delay(SELF_TEST_EVERY_MS, undefined, { ref: false });
    }
  }
}

export type Server = ReturnType<typeof createServer>;
export type Request = FastifyRequest;
export type Reply = FastifyReply;

/**
 * Logs, counts and traces requests; before any route is registered, and any hook that
 * could end a request.
 */
function observe(
  app: FastifyInstance,
  lifecycle: Lifecycle,
  logger: Logger,
  telemetry: Telemetry,
): RequestsInFlight {
  const { metrics, tracing, close } = telemetry;
  const inFlight = trackInFlight(app, lifecycle, [
    logRequests(app, logger),
    measureRequests(app, metrics),
  ]);
  measureActive(metrics, inFlight);
  if (tracing !== undefined) traceRequests(app, tracing);
  app.addHook('onClose', measureProcess(telemetry));
  app.addHook('onClose', close);
  return inFlight;
}

function errorHandler(countProblem: (code: ProblemCode) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The caller has gone amid its body: nothing has failed here, and nobody reads the
    // answer.
    if (error === request.raw.errored || request.raw.socket.destroyed)
      return sendProblem(brokenOff(), request, reply);
    const known = toProblemError(error, request.routeOptions.bodyLimit);
    // Fastify would close the connection, but the rest of the body is dropped and the
    // next request can come.
    if (known.code === 'PayloadTooLarge') reply.removeHeader('connection');
    countProblem(known.code);
    if (known.code === 'InternalError') loggerOf(request).error({ err: error }, 'request failed');
    return sendProblem(known, request, reply);
  };
}
