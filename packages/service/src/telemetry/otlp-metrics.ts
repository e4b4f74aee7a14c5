import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { emptyResource, type Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

const MAX_EXPORT_TIMEOUT_MS = 30_000;

/** Exports the registry at each interval. Returns a function that exports once more and stops. */
export function exportMetrics(
  registry: Registry,
  resource: Resource,
  intervalMs: number,
): () => Promise<void> {
  const startTime = millisToHrTime(Date.now());
  const collect = async () => {
    const interval: Interval = { startTime, endTime: millisToHrTime(Date.now()) };
    const read = await registry.getMetricsAsJSON();
    const metrics = read.map((metric) => toMetricData(metric, interval));
    const scopeMetrics = [{ scope: { name: 'gatehouse' }, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, MAX_EXPORT_TIMEOUT_MS),
    metricProducers: [{ collect }],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

interface Interval {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

type PromMetric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

function toMetricData(metric: PromMetric, interval: Interval): MetricData {
  const { name, help: description, values } = metric;
  const descriptor = { name, unit: '', description, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (String(metric.type) === 'histogram') {
    const dataPoints = histogramPoints(metric, interval);
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values.map(({ labels, value }) => ({
    ...interval,
    attributes: { ...labels },
    value,
  }));
  return String(metric.type) === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Converts histogram buckets, whose counts are cumulative in Prometheus but separate in OTLP. */
function histogramPoints({ name, values }: PromMetric, interval: Interval) {
  const seriesOf = ({ labels: { le: _, ...labels } }: MetricValue<string>) =>
    JSON.stringify(labels);
  return [...Map.groupBy(values, seriesOf)].map(([series, samples]) => {
    const buckets = samples.filter(({ labels }) => labels.le !== undefined);
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const boundaries = buckets.slice(0, -1).map(({ labels }) => Number(labels.le));
    const sum = samples.find(({ metricName }) => metricName === `${name}_sum`)?.value ?? 0;
    const count = buckets.at(-1)?.value ?? 0;
    const attributes: Attributes = JSON.parse(series);
    return { ...interval, attributes, value: { buckets: { boundaries, counts }, count, sum } };
  });
}
