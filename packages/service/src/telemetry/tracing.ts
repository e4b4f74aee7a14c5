import type { FastifyRequest } from 'fastify';

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
