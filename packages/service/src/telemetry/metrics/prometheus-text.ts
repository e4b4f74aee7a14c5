import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { DataPointType, type MetricData, type MetricProducer } from '@opentelemetry/sdk-metrics';

/**
 * `target_info` and scope labels say nothing here that `build_info` and the scrape's own
 * labels do not.
 */
const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);

export const PROMETHEUS_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The present state of all metrics in the Prometheus text format. */
export async function prometheusText(producer: MetricProducer): Promise<string> {
  const { resourceMetrics } = await producer.collect();
  const { resource, scopeMetrics } = resourceMetrics;
  const named = scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.filter(hasPoints).map(renamed),
  }));
  return serializer.serialize({ resource, scopeMetrics: named });
}

function hasPoints({ dataPoints }: MetricData): boolean {
  return dataPoints.length > 0;
}

/** How the OpenTelemetry specification has units in Prometheus names. */
const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/**
 * The serializer of the SDK turns dots into underscores and adds `_total`; the unit it
 * leaves to us.
 */
function renamed(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  const descriptor = { ...metric.descriptor, name: `${name}${UNITS[unit] ?? ''}`, unit: '' };
  return metric.dataPointType === DataPointType.EXPONENTIAL_HISTOGRAM
    ? metric
    : { ...metric, descriptor };
}
