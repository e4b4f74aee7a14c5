import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import { authenticate, unauthorized } from '../access/authentication.ts';
import { allowOrigins } from '../access/cors.ts';
import type { AfterBody } from '../connections/unread-bodies.ts';
import { type ReadingPace, UnreadReplies } from '../connections/unread-replies.ts';
import type { Logger } from '../log/logger.ts';
import { judgeHeads, requireHost } from '../request/request-head.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { traceRequests } from '../telemetry/trace-requests.ts';
import { batchSends } from './batched-sends.ts';
import type { EventLoopDelay } from './event-loop.ts';
import type { InFlight } from './in-flight.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type LoadLimits, shedLoad } from './overload.ts';
import { redirectToDocs, refuseUnknownPaths } from './unknown-paths.ts';

export interface ServerParts {
  readonly access: Access;
  readonly afterBody: AfterBody;
  readonly inFlight: InFlight;
  readonly lifecycle: Lifecycle;
  readonly load: LoadLimits;
  readonly logger: Logger;
  readonly loop: EventLoopDelay;
  readonly readingPace: ReadingPace;
  readonly telemetry: Telemetry;
}

/**
 * All hooks of a server; call before its routes are registered.
 *
 * A request arrives:
 *  1. Count it as in flight; nothing may end it uncounted.
 *  2. Give its reply the request id.
 *  3. Without a host: 400.
 *  4. Overloaded: 503, before anything costs time.
 *  5. CORS headers; a preflight is answered here, since it carries no token.
 *  6. A browser that asks for `/`: 303, to `/docs`.
 *  7. Name the caller. Without a token: 401, before it could tell which paths exist.
 *  8. Unknown path or method: 404, 405, whatever the body is.
 *  9. A body that its head rules out: 415, 417, 413.
 * 10. Start the span of a POST, by a hook of its route.
 *
 * Its reply is ready:
 * 11. Batch it with others of this turn. INVARIANT: a hook follows; see `batchSends`.
 * 12. Wait for the unread rest of the request body.
 * 13. While draining, tell the client to close the connection.
 *
 * The server starts and ends:
 * 14. Listening: start what watches it, then the self-test.
 * 15. Closing: drain.
 * 16. Closed: end what watches it, and export the last telemetry.
 */
export function addHooks(app: FastifyInstance, parts: ServerParts): void {
  hookRequests(app, parts);
  hookReplies(app, parts);
  hookServer(app, parts);
}

function hookRequests(app: FastifyInstance, { access, inFlight, ...parts }: ServerParts): void {
  const { tokens, corsOrigins } = access;
  const { tracing } = parts.telemetry;
  app.addHook('onRequest', (request, reply, done) => {
    inFlight.track(request, reply);
    reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
  app.addHook('onRequest', requireHost);
  app.addHook('onRequest', shedLoad(inFlight, parts.loop, parts.load));
  if (corsOrigins.size > 0) app.addHook('onRequest', allowOrigins(corsOrigins));
  app.addHook('onRequest', redirectToDocs(app));
  if (tokens !== undefined) app.addHook('onRequest', authenticate(tokens));
  app.addHook('onRequest', refuseUnknownPaths(app));
  app.addHook('onRequest', judgeHeads(app.server));
  if (tracing !== undefined) app.addHook('onRoute', traceRequests(tracing));
}

function hookReplies(app: FastifyInstance, { afterBody, lifecycle }: ServerParts): void {
  app.addHook('onSend', batchSends());
  app.addHook('onSend', (request, reply, _payload, done) => afterBody(request, reply, done));
  app.addHook('onSend', (_request, reply, _payload, done) => {
    closeIfDraining(lifecycle, reply);
    done();
  });
}

function hookServer(
  app: FastifyInstance,
  { lifecycle, logger, loop, ...parts }: ServerParts,
): void {
  const watching = [loop, new UnreadReplies(app.server, parts.readingPace)];
  app.addHook('onListen', async () => {
    for (const each of watching) each.start();
    await lifecycle.start((error) => logger.fatal({ err: error }, 'self-test failed'));
  });
  app.addHook('preClose', async () => lifecycle.drain());
  app.addHook('onClose', async () => {
    for (const each of watching) each.stop();
    await parts.telemetry.close();
  });
}

type AnswerError = (error: Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** A malformed URL reaches no hook: 1, 2, 7, 12 and 13 happen here. */
export function answerUnrouted(parts: ServerParts, answerError: AnswerError): AnswerError {
  const { access, afterBody, inFlight, lifecycle } = parts;
  return (error, request, reply) => {
    inFlight.track(request, reply);
    reply.header(REQUEST_ID_HEADER, request.id);
    const refused = access.tokens && unauthorized(access.tokens, request, reply);
    afterBody(request, reply, () => {
      closeIfDraining(lifecycle, reply);
      answerError(refused ?? error, request, reply);
    });
    return reply;
  };
}

/** An idle connection would hold the server open. */
function closeIfDraining(lifecycle: Lifecycle, reply: FastifyReply): void {
  if (lifecycle.state === 'draining') reply.header('connection', 'close');
}
