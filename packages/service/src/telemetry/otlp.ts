import { setTimeout as delay } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import {
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { TelemetryConfig } from '../settings/telemetry-settings.ts';
import type { ServiceIdentity, Telemetry } from './telemetry.ts';

/** Maximum time by which an unresponsive collector delays the exit of the process. */
const LAST_EXPORT_MS = 3_000;

type Close = () => Promise<void>;
type Warn = (message: string) => void;

/** Loads and starts only the exporters that are enabled in `config`. */
export async function startExports(
  service: ServiceIdentity,
  config: TelemetryConfig,
  { registry, logger }: { registry: Registry; logger: Logger },
): Promise<Pick<Telemetry, 'tracing' | 'close'>> {
  const warn: Warn = (message) => logger.warn({ component: 'opentelemetry' }, message);
  const ignore = () => {};
  // The SDK has one diagnostics logger for the whole process.
  const diagnostics = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(diagnostics, DiagLogLevel.WARN);
  const resource = resourceOf(service);
  const closing: Close[] = [];
  const close = () => closeInTime(closing, warn);
  if (config.metrics) {
    const { exportMetrics } = await import('./otlp-metrics.ts');
    closing.push(exportMetrics(registry, resource, config.metricIntervalMs));
  }
  if (!config.traces) return { close };
  const { exportTraces } = await import('./otlp-traces.ts');
  const traces = exportTraces(resource, config);
  closing.push(traces.close);
  return { tracing: traces.tracing, close };
}

/** Describes the service. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence. */
function resourceOf({ name, version }: ServiceIdentity): Resource {
  const own = resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const fromEnv = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return own.merge(detectResources({ detectors: [serviceInstanceIdDetector, ...fromEnv] }));
}

async function closeInTime(closing: readonly Close[], warn: Warn): Promise<void> {
  const failed = (error: unknown) => warn(`the last export failed: ${String(error)}`);
  const exported = Promise.all(closing.map((close) => close().catch(failed)));
  const inTime = await Promise.race([exported, delay(LAST_EXPORT_MS, undefined, { ref: false })]);
  if (inTime === undefined) warn(`the last export did not finish within ${LAST_EXPORT_MS} ms`);
}
