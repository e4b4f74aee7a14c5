import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Histogram, Series } from './instruments.ts';
import type { Metric, Metrics, Observation } from './metrics.ts';

const SCOPE = { name: 'gatehouse' };

/** Hands our metrics to OpenTelemetry, for the Prometheus text and the OTLP export. */
export function metricProducer(metrics: Metrics): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    collect: async () => {
      const interval: Interval = { startTime, endTime: millisToHrTime(Date.now()) };
      const data = metrics.all.map((metric) => toMetricData(metric, interval));
      const scopeMetrics = [{ scope: SCOPE, metrics: data }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

interface Interval {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData(metric: Metric, interval: Interval): MetricData {
  const { name, unit, help: description } = metric;
  const descriptor = { name, unit, description, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.kind === 'histogram') {
    const dataPoints = Array.from(metric.read(), (series) => histogramPoint(series, interval));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const point = ([attributes, value]: Observation) => ({ ...interval, attributes, value });
  const dataPoints = Array.from(metric.read(), point);
  return metric.kind === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

function histogramPoint({ labels, instrument }: Series<Histogram>, interval: Interval) {
  const counts = [...instrument.counts];
  const count = counts.reduce((sum, each) => sum + each, 0);
  const buckets = { boundaries: [...instrument.bounds], counts };
  return { ...interval, attributes: labels, value: { buckets, count, sum: instrument.sum } };
}
