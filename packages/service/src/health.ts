import { Health, Problem, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problem.ts';

/** Liveness, which is true while the process answers, and readiness, which ends when draining begins. */
export function serveHealth(app: FastifyInstance): void {
  let draining = false;
  app.addHook('preClose', async () => {
    draining = true;
  });
  app.get(SERVICE_PATHS.health, { schema: { response: { 200: Health } } }, () => ({ status: 'ok' }));
  app.get(SERVICE_PATHS.ready, { schema: { response: { 200: Health, 503: Problem } } }, () => {
    if (draining) throw new ProblemError('NotReady', 'Send the request to another replica: this one is shutting down.');
    return { status: 'ok' };
  });
}
