import { setTimeout as delay } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { ServiceIdentity, TraceConfig } from './trace-requests.ts';

/** Maximum time that the process waits for an unresponsive trace collector before it exits. */
const LAST_EXPORT_MS = 3_000;

/** Starts exporting traces. `close` exports the remaining traces, then stops the exporter. */
export function exportTraces(service: ServiceIdentity, config: TraceConfig, logger: Logger) {
  const warn = (message: string) => logger.warn({ component: 'opentelemetry' }, message);
  const ignore = () => {};
  // Log warnings and errors from the OpenTelemetry SDK itself.
  const diagnostics = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(diagnostics, DiagLogLevel.WARN);
  setGlobalErrorHandler((error) => warn(`traces were not exported: ${String(error)}`));
  const provider = new TracerProvider({
    resource: resourceOf(service),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('gatehouse');
  const tracing = { tracer, propagator: new W3CTraceContextPropagator() };
  return { tracing, close: () => closeInTime(provider, warn) };
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override `name` and `version`. */
function resourceOf({ name, version }: ServiceIdentity): Resource {
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const fromEnv = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return own.merge(detectResources({ detectors: [serviceInstanceIdDetector, ...fromEnv] }));
}

async function closeInTime(provider: TracerProvider, warn: (message: string) => void) {
  const failed = (error: unknown) => warn(`the final export at shutdown failed: ${String(error)}`);
  const closed = provider.shutdown().catch(failed);
  const isLate = await Promise.race([closed, delay(LAST_EXPORT_MS, true, { ref: false })]);
  if (isLate) warn(`the final export at shutdown did not finish within ${LAST_EXPORT_MS} ms`);
}

/** Returns the sampler that OTEL_TRACES_SAMPLER selects (OpenTelemetry specification). */
function samplerOf({ sampler, sampledRatio }: TraceConfig): Sampler {
  const ratios = { always_on: 1, always_off: 0, traceidratio: sampledRatio };
  const name = sampler.replace('parentbased_', '') as keyof typeof ratios;
  const root = new TraceIdRatioBasedSampler(ratios[name]);
  return sampler === name ? root : new ParentBasedSampler({ root });
}
