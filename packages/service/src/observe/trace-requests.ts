import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
} from '@opentelemetry/api';
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

export interface Tracing {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if traces are not exported or the route is not traced. */
    span: Span | undefined;
  }
}

/** Starts a span for each POST request, which is a check, an approval or an execution. */
export function traceRequests(tracing: Tracing): onRouteHookHandler {
  return (route) => {
    if (route.method !== 'POST') return;
    route.onRequest = [route.onRequest ?? [], startSpan(tracing, route.url)].flat();
  };
}

function startSpan({ tracer, propagator }: Tracing, route: string): onRequestHookHandler {
  return (request, reply, done) => {
    const attributes = {
      'http.request.method': 'POST',
      'http.route': route,
      'url.path': pathOf(request.url),
      'url.scheme': request.protocol,
      request_id: request.id,
      ...(request.caller !== undefined && { caller: request.caller }),
    };
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    const options = { kind: SpanKind.SERVER, attributes };
    const span = tracer.startSpan(`POST ${route}`, options, parent);
    request.span = span;
    // Fastify does not call `onResponse` if the caller disconnects before the reply.
    reply.raw.on('close', () => {
      if (!reply.raw.writableFinished) failSpan(span, 'cancelled');
      else span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) failSpan(span, String(reply.statusCode));
      span.end();
    });
    done();
  };
}

/** Marks a span as failed. `type` must be one of a few fixed values, such as `cancelled`. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the request's span, unless it has ended because the caller has disconnected. */
export function openSpan({ span }: FastifyRequest): Span | undefined {
  return span?.isRecording() ? span : undefined;
}

/** Returns the trace id from the request's span or, failing that, from `traceparent`. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return (
    request.span?.spanContext().traceId ?? traceHeaders(request).get('traceparent')?.split('-')[1]
  );
}
