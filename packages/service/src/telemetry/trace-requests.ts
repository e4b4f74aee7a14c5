import type { onRequestHookHandler, onRouteHookHandler } from 'fastify';
import { pathOf } from '../request/path.ts';
import type { Tracing } from './tracing.ts';

const SERVER_ERROR = 500;

/** Gives each POST a span: every check and every execution, and no page, probe or scrape. */
export function traceRequests(tracing: Tracing): onRouteHookHandler {
  return (route) => {
    if (route.method !== 'POST') return;
    route.onRequest = [route.onRequest ?? [], startSpan(tracing, route.url)].flat();
  };
}

function startSpan(tracing: Tracing, route: string): onRequestHookHandler {
  return (request, reply, done) => {
    const span = tracing.server(request, `POST ${route}`, {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': pathOf(request.url),
      'url.scheme': request.protocol,
      request_id: request.id,
      ...(request.caller !== undefined && { caller: request.caller }),
    });
    request.span = span;
    // Fastify calls no `onResponse` if the caller goes away before the reply.
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) span.fail('cancelled');
      else span.set({ 'http.response.status_code': reply.statusCode });
      if (reply.statusCode >= SERVER_ERROR) span.fail(String(reply.statusCode));
      span.end();
    });
    done();
  };
}
