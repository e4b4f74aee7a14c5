import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import { authenticate, unauthorized } from '../access/authentication.ts';
import { allowOrigins } from '../access/cors.ts';
import type { Logger } from '../log/logger.ts';
import { checkHeads, requireHost } from '../request/request-head.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { traceRequests } from '../telemetry/trace-requests.ts';
import { batchSends } from './batched-sends.ts';
import type { ClientTimes } from './client-times.ts';
import type { InFlight } from './in-flight.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type LoadLimits, shedLoad } from './overload.ts';
import { refuseUnknownPaths } from './unknown-paths.ts';
import { discardUnreadBody, limitReading } from './unread.ts';

export interface ServerParts {
  readonly access: Access;
  readonly clientTimes: ClientTimes;
  readonly inFlight: InFlight;
  readonly lifecycle: Lifecycle;
  readonly load: LoadLimits;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/**
 * Adds all hooks of a server. Await it before registering routes.
 *
 * A request arrives:
 *  1. Count it as in flight, first so that every request is counted.
 *  2. Set the request id on its reply.
 *  3. Without a host: 400.
 *  4. Overloaded: 503, before any expensive step.
 *  5. Add CORS headers. Answer a preflight here, because it carries no token.
 *  6. Identify the caller. Without a token: 401, so that paths stay secret.
 *  7. Unknown path or method: 404 or 405, whatever the body is.
 *  8. Headers that rule out the body: 415, 417 or 413.
 *  9. Start the span of a POST, in a hook of its route.
 *
 * Its reply is ready:
 * 10. Wait for the other replies of this turn of the event loop.
 * 11. Discard the unread rest of the request body.
 * 12. Limit how long the caller may leave the reply unread.
 * 13. While draining, tell the client to close the connection.
 *
 * The server starts and ends:
 * 14. When listening, start the self-test.
 * 15. Before closing, drain.
 * 16. When closed, export the last telemetry.
 */
export async function addHooks(app: FastifyInstance, parts: ServerParts): Promise<void> {
  const { lifecycle, logger, telemetry } = parts;
  await hookRequests(app, parts);
  app.addHook('onSend', batchSends());
  app.addHook('onSend', (request, reply, _payload, done) => {
    prepareReply(request, reply, parts);
    done();
  });
  app.addHook('onListen', () =>
    lifecycle.start((error) => logger.fatal({ err: error }, 'self-test failed')),
  );
  app.addHook('preClose', async () => lifecycle.drain());
  app.addHook('onClose', () => telemetry.close());
}

async function hookRequests(
  app: FastifyInstance,
  { access, inFlight, load, telemetry }: ServerParts,
): Promise<void> {
  const { tokens, corsOrigins } = access;
  app.addHook('onRequest', (request, reply, done) => {
    countRequest(request, reply, inFlight);
    done();
  });
  app.addHook('onRequest', requireHost);
  await shedLoad(app, inFlight, load);
  if (corsOrigins.size > 0) app.addHook('onRequest', allowOrigins(corsOrigins));
  if (tokens !== undefined) app.addHook('onRequest', authenticate(tokens));
  app.addHook('onRequest', refuseUnknownPaths(app));
  app.addHook('onRequest', checkHeads(app.server));
  if (telemetry.tracing !== undefined) app.addHook('onRoute', traceRequests(telemetry.tracing));
}

function countRequest(request: FastifyRequest, reply: FastifyReply, inFlight: InFlight): void {
  inFlight.track(request, reply);
  reply.header(REQUEST_ID_HEADER, request.id);
}

function prepareReply(request: FastifyRequest, reply: FastifyReply, parts: ServerParts): void {
  const { clientTimes, lifecycle } = parts;
  discardUnreadBody(request, reply, clientTimes.discardMs);
  limitReading(request, reply, clientTimes.readingMs);
  // An idle connection would keep the server from closing.
  if (lifecycle.state === 'draining') reply.header('connection', 'close');
}

type AnswerError = (error: Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Answers a malformed URL, which reaches no hook, with steps 1, 2, 6, 11, 12 and 13. */
export function answerUnrouted(parts: ServerParts, answerError: AnswerError): AnswerError {
  const { access, inFlight } = parts;
  return (error, request, reply) => {
    countRequest(request, reply, inFlight);
    const refused = access.tokens && unauthorized(access.tokens, request, reply);
    prepareReply(request, reply, parts);
    return answerError(refused ?? error, request, reply);
  };
}
