import { SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';
import { metricProducer } from './metric-producer.ts';
import type { Metrics } from './metrics.ts';
import { PROMETHEUS_MEDIA_TYPE, prometheusText } from './prometheus-text.ts';

/** `GET /metrics` in the Prometheus text format. */
export function serveMetrics(app: FastifyInstance, metrics: Metrics): void {
  const producer = metricProducer(metrics);
  app.get(SERVICE_PATHS.metrics, async (_request, reply) => {
    reply.type(PROMETHEUS_MEDIA_TYPE);
    return prometheusText(producer);
  });
}
