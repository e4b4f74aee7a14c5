import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyRequest } from 'fastify';
import type { TelemetryConfig } from '../settings.ts';
import type { TraceSpan, Tracing } from '../tracing.ts';

const propagator = new W3CTraceContextPropagator();

/** Traces that are exported by OTLP; `close` exports those that are still held back. */
export function exportTraces(
  resource: Resource,
  config: TelemetryConfig,
): { readonly tracing: Tracing; readonly close: () => Promise<void> } {
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('gatehouse');
  const spans = new WeakMap<FastifyRequest, TraceSpan>();
  const tracing: Tracing = {
    server: (request, name, attributes) => {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
      const span = wrap(
        tracer,
        parent,
        tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent),
      );
      spans.set(request, span);
      return span;
    },
    spanOf: (request) => spans.get(request),
  };
  return { tracing, close: () => provider.shutdown() };
}

/** As the OpenTelemetry specification has OTEL_TRACES_SAMPLER. */
function samplerOf({ sampler, sampledRatio }: TelemetryConfig): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(sampledRatio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return sampler === name ? root : new ParentBasedSampler({ root });
}

function wrap(tracer: Tracer, parent: Context, span: Span): TraceSpan {
  const context = trace.setSpan(parent, span);
  return {
    // An execution may still be at work when its caller has gone away, which ended the
    // span.
    set: (attributes) => {
      if (span.isRecording()) span.setAttributes(attributes);
    },
    event: (name, attributes) => {
      if (span.isRecording()) span.addEvent(name, attributes);
    },
    client: (name, attributes) =>
      wrap(tracer, context, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context)),
    headers: () => {
      const carrier: Record<string, string> = {};
      propagator.inject(context, carrier, defaultTextMapSetter);
      return new Map(Object.entries(carrier));
    },
    fail: (type) => {
      if (!span.isRecording()) return;
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}
