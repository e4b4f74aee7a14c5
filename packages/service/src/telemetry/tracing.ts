import type { FastifyRequest } from 'fastify';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * One span; the seam between our code and the SDK, which is loaded only when traces are
 * asked for.
 */
export interface TraceSpan {
  set(attributes: Attributes): void;
  event(name: string, attributes: Attributes): void;
  /** A span for one request that this service makes on behalf of this one. */
  client(name: string, attributes: Attributes): TraceSpan;
  /** The W3C trace context that makes whoever receives it a child of this span. */
  headers(): ReadonlyMap<string, string>;
  /** Marks what failed; `type` is one of few values. */
  fail(type: string): void;
  end(): void;
}

export interface Tracing {
  /** A span for a request that came in, within the trace of its caller. */
  server(request: FastifyRequest, name: string, attributes: Attributes): TraceSpan;
  /** The span of a request, where its route is traced. */
  spanOf(request: FastifyRequest): TraceSpan | undefined;
}
