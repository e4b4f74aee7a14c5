import { Health, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Registry } from 'prom-client';
import { responseOf, textResponse } from '../docs/route-schema.ts';
import { ProblemReply } from '../problems/problem-reply.ts';

const { health, ready } = SERVICE_PATHS;

const OK = { ok: { summary: 'Fine', value: { status: 'ok' } } };

const HEALTH: FastifySchema = {
  operationId: 'getHealth',
  summary: 'Check that the process is alive',
  description:
    'Liveness probe for container checks. This probe needs no token. Returns 200 as long as the process responds.',
  response: { 200: responseOf(Health, 'The process is alive.', OK) },
};

const READINESS: FastifySchema = {
  operationId: 'getReadiness',
  summary: 'Check that the service is ready',
  description:
    'Readiness probe for load balancers. This probe needs no token. Returns 503 while the service is shutting down or lacks something that it needs, such as its store.',
  response: { 200: responseOf(Health, 'The service is ready.', OK) },
  problems: ['NotReady'],
};

/** `missing` returns what the service waits for, as a sentence, or undefined. */
export function serveHealth(
  app: FastifyInstance,
  draining: AbortSignal,
  missing: () => string | undefined,
): void {
  app.get(health, { schema: HEALTH }, () => ({ status: 'ok' }));
  app.get(ready, { schema: READINESS }, () => {
    const reason = draining.aborted ? SHUTTING_DOWN : missing();
    if (reason !== undefined) throw new ProblemReply('NotReady', reason);
    return { status: 'ok' };
  });
}

const SHUTTING_DOWN = 'Send the request to another replica, because this one is shutting down.';

const METRICS: FastifySchema = {
  operationId: 'getMetrics',
  summary: 'Get the metrics',
  description: 'All metrics of this process in the Prometheus text format.',
  ...textResponse('text/plain', 'Prometheus text.'),
};

export function serveMetrics(app: FastifyInstance, registry: Registry): void {
  app.get(SERVICE_PATHS.metrics, { schema: METRICS }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
}
