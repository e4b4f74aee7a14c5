import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MetricData, MetricProducer } from '@opentelemetry/sdk-metrics';

/** Without `target_info` and scope labels: `build_info` and the scrape's labels say it. */
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

export const PROMETHEUS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The present state of all metrics in the Prometheus text format. */
export async function prometheusText(producer: MetricProducer): Promise<string> {
  const { resourceMetrics } = await producer.collect();
  const { resource, scopeMetrics } = resourceMetrics;
  const named = scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.filter(({ dataPoints }) => dataPoints.length > 0).map(withUnit),
  }));
  return serializer.serialize({ resource, scopeMetrics: named });
}

/** Units in Prometheus names, by the OpenTelemetry specification. */
const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/** Adds the unit to the name; the SDK's serializer does the rest. */
function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const descriptor = { ...metric.descriptor, name: `${name}${UNITS[unit] ?? ''}`, unit: '' };
  return { ...metric, descriptor };
}
