import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { pathOf } from '../server/paths.ts';
import type { Tracing } from './tracing.ts';

const SERVER_ERROR = 500;

/**
 * A span per check and per execution; those are the POSTs. Pages, probes and scrapes
 * would only be noise. Call before any route is registered.
 */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRoute', (route) => {
    if (route.method !== 'POST') return;
    route.onRequest = [[route.onRequest ?? []].flat(), startSpan(tracing, route.url)].flat();
  });
}

function startSpan(tracing: Tracing, route: string): onRequestHookHandler {
  return (request, reply, done) => {
    const span = tracing.server(request, `POST ${route}`, {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': pathOf(request.url),
      'url.scheme': request.protocol,
    });
    // Not `onResponse`, which Fastify leaves out when the caller goes away before the
    // answer.
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) span.fail('cancelled');
      else span.set({ 'http.response.status_code': reply.statusCode });
      if (reply.statusCode >= SERVER_ERROR) span.fail(String(reply.statusCode));
      span.end();
    });
    done();
  };
}
