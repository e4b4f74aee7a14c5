import type { FastifyRequest, onRequestHookHandler, onRouteHookHandler } from 'fastify';
import { pathOf } from '../request/path.ts';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The seam between our code and the SDK, which loads only where traces are exported. */
export interface TraceSpan {
  readonly traceId: string;
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** A child span, for a request that this service makes. */
  client(name: string, attributes: Attributes): TraceSpan;
  /** W3C trace context: the receiver's span becomes a child of this one. */
  headers(): ReadonlyMap<string, string>;
  /** `type` is one of few values. */
  fail(type: string): void;
  end(): void;
}

export interface Tracing {
  /** A span for an incoming request, within the trace of its caller. */
  server(request: FastifyRequest, name: string, attributes: Attributes): TraceSpan;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Present where traces are exported and the route is traced. */
    span: TraceSpan | undefined;
  }
}

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
