import type { FastifyRequest, onRequestHookHandler, onRouteHookHandler } from 'fastify';
import { pathOf } from '../http/paths.ts';
import { traceHeaders } from '../http/request-head.ts';

export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
}

export interface TraceConfig {
  /** Name of a sampler, as in `OTEL_TRACES_SAMPLER`. */
  readonly sampler: string;
  /** Fraction of traces to keep, from 0 to 1. */
  readonly sampledRatio: number;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Uses no OpenTelemetry types, because the OpenTelemetry SDK is loaded only if traces are on. */
export interface TraceSpan {
  readonly traceId: string;
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** Starts a child span for an outgoing request. */
  client(name: string, attributes: Attributes): TraceSpan;
  /** Returns trace headers that make the receiver's span a child of this span. */
  headers(): ReadonlyMap<string, string>;
  /** Marks the span as failed. `type` must be one of a few fixed values, such as `cancelled`. */
  fail(type: string): void;
  end(): void;
}

/** Starts a span for an incoming request, as part of the caller's trace. */
export type Tracing = (req: FastifyRequest, name: string, attributes: Attributes) => TraceSpan;

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if traces are not exported or the route is not traced. */
    span: TraceSpan | undefined;
  }
}

/** Starts a span for each POST request, because every POST is a check or an execution. */
export function traceRequests(tracing: Tracing): onRouteHookHandler {
  return (route) => {
    if (route.method !== 'POST') return;
    route.onRequest = [route.onRequest ?? [], startSpan(tracing, route.url)].flat();
  };
}

function startSpan(tracing: Tracing, route: string): onRequestHookHandler {
  return (request, reply, done) => {
    const span = tracing(request, `POST ${route}`, {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': pathOf(request.url),
      'url.scheme': request.protocol,
      request_id: request.id,
      ...(request.caller !== undefined && { caller: request.caller }),
    });
    request.span = span;
    // Fastify does not call `onResponse` if the caller disconnects before the reply.
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) span.fail('cancelled');
      else span.set({ 'http.response.status_code': reply.statusCode });
      if (reply.statusCode >= 500) span.fail(String(reply.statusCode));
      span.end();
    });
    done();
  };
}

/** Returns the trace id from the request's span or, failing that, from `traceparent`. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return request.span?.traceId ?? traceHeaders(request).get('traceparent')?.split('-')[1];
}
