import { Health, Problem, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { pathOf } from '../request/path.ts';
import type { Lifecycle } from './lifecycle.ts';

const PROBES: ReadonlySet<string> = new Set([
  SERVICE_PATHS.health,
  SERVICE_PATHS.ready,
  SERVICE_PATHS.metrics,
]);

/**
 * Whether a request target is asked every few seconds by whatever watches the service.
 */
export function isProbe(url: string): boolean {
  return PROBES.has(pathOf(url));
}

/**
 * Liveness, which is true while the process answers, and readiness, which begins with the
 * self-test and ends with draining.
 */
export function serveHealth(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.get(SERVICE_PATHS.health, { schema: { response: { 200: Health } } }, () => ({
    status: 'ok',
  }));
  app.get(SERVICE_PATHS.ready, { schema: { response: { 200: Health, 503: Problem } } }, () => {
    if (lifecycle.state !== 'ready') throw new ProblemError('NotReady', NOT_READY[lifecycle.state]);
    return { status: 'ok' };
  });
}

const NOT_READY = {
  starting:
    'Send the request to another replica, or again later: this one has not passed its self-test.',
  draining: 'Send the request to another replica: this one is shutting down.',
};
