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
import type { Metric, Metrics } from './metrics.ts';

const SCOPE = { name: 'gatehouse' };

/**
 * Hands our metrics to OpenTelemetry, whoever reads them there: the Prometheus text or
 * the OTLP export.
 */
export function metricProducer(metrics: Metrics): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    collect: async () => {
      const span: Span = { startTime, endTime: millisToHrTime(Date.now()) };
      const data = Array.from(metrics.all(), (metric) => toMetricData(metric, span));
      return {
        resourceMetrics: {
          resource: emptyResource(),
          scopeMetrics: [{ scope: SCOPE, metrics: data }],
        },
        errors: [],
      };
    },
  };
}

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData(metric: Metric, span: Span): MetricData {
  const { name, unit, help: description } = metric;
  const descriptor = { name, unit, description, valueType: ValueType.DOUBLE };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (metric.kind === 'histogram') {
    const dataPoints = Array.from(metric.read(), (series) => histogramPoint(series, span));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = Array.from(metric.read(), ([attributes, value]) => ({
    ...span,
    attributes,
    value,
  }));
  return metric.kind === 'counter'
    ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

function histogramPoint({ labels, instrument }: Series<Histogram>, span: Span) {
  const counts = [...instrument.counts];
  const count = counts.reduce((sum, each) => sum + each, 0);
  const buckets = { boundaries: [...instrument.bounds], counts };
  return { ...span, attributes: labels, value: { buckets, count, sum: instrument.sum } };
}
