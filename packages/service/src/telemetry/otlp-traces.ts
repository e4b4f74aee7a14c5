import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../settings/telemetry-settings.ts';
import type { TraceSpan, Tracing } from './trace-requests.ts';

const propagator = new W3CTraceContextPropagator();

/** Starts exporting traces. `close` exports the remaining traces and stops. */
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
  const tracing: Tracing = {
    server: (request, name, attributes) => {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
      return startSpan(tracer, parent, name, { kind: SpanKind.SERVER, attributes });
    },
  };
  return { tracing, close: () => provider.shutdown() };
}

/** Returns the sampler that OTEL_TRACES_SAMPLER selects (OpenTelemetry specification). */
function samplerOf({ sampler, sampledRatio }: TelemetryConfig): Sampler {
  const ratios = { always_on: 1, always_off: 0, traceidratio: sampledRatio };
  const name = sampler.replace('parentbased_', '') as keyof typeof ratios;
  const root = new TraceIdRatioBasedSampler(ratios[name]);
  return sampler === name ? root : new ParentBasedSampler({ root });
}

function startSpan(tracer: Tracer, parent: Context, name: string, options: SpanOptions): TraceSpan {
  const span = tracer.startSpan(name, options, parent);
  const context = trace.setSpan(parent, span);
  return {
    traceId: span.spanContext().traceId,
    // An execution may outlive its span, which ends when the caller disconnects.
    set: (attributes) => {
      if (span.isRecording()) span.setAttributes(attributes);
    },
    event: (name, attributes) => {
      if (span.isRecording()) span.addEvent(name, attributes);
    },
    client: (name, attributes) =>
      startSpan(tracer, context, name, { kind: SpanKind.CLIENT, attributes }),
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
