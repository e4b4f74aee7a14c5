import { Health, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { responseOf } from '../documentation/route-schema.ts';
import { ProblemReply } from '../problems/problem-reply.ts';
import { pathOf } from '../request/path.ts';
import type { Lifecycle } from './lifecycle.ts';

const { health, ready, metrics } = SERVICE_PATHS;
const PROBES: ReadonlySet<string> = new Set([health, ready, metrics]);

/** True for paths that monitoring requests every few seconds. */
export function isProbe(url: string): boolean {
  return PROBES.has(pathOf(url));
}

const OK = { ok: { summary: 'Fine', value: { status: 'ok' } } };

const HEALTH: FastifySchema = {
  operationId: 'getHealth',
  summary: 'Check that the process is alive',
  description:
    'Liveness, for container checks: 200 while the process answers at all. Needs no token.',
  response: { 200: responseOf(Health, 'The process is alive.', OK) },
};

const READINESS: FastifySchema = {
  operationId: 'getReadiness',
  summary: 'Check that the service is ready',
  description:
    'Readiness, for load balancers: 503 while the service starts or shuts down. Needs no token.',
  response: { 200: responseOf(Health, 'The service is ready.', OK) },
  problems: ['NotReady'],
};

export function serveHealth(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.get(health, { schema: HEALTH }, () => ({ status: 'ok' }));
  app.get(ready, { schema: READINESS }, () => {
    if (lifecycle.state !== 'ready') throw new ProblemReply('NotReady', NOT_READY[lifecycle.state]);
    return { status: 'ok' };
  });
}

const NOT_READY = {
  starting:
    'Send the request to another replica or try again later; this one has not passed its self-test.',
  draining: 'Send the request to another replica, because this one is shutting down.',
};
