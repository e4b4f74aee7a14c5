import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { metricProducer } from '../metrics/metric-producer.ts';
import type { Metrics } from '../metrics/metrics.ts';

const MAX_EXPORT_TIMEOUT_MS = 30_000;

/** Exports the metrics by OTLP at each interval; returns what exports them once more and ends. */
export function exportMetrics(
  metrics: Metrics,
  resource: Resource,
  intervalMs: number,
): () => Promise<void> {
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, MAX_EXPORT_TIMEOUT_MS),
    metricProducers: [metricProducer(metrics)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}
