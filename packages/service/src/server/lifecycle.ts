import { setTimeout as delay } from 'node:timers/promises';
import { Health, SERVICE_PATHS } from '@gatehouse/contracts';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { responseOf } from '../documentation/route-schema.ts';
import { ProblemReply } from '../problems/problem-reply.ts';

const SELF_TEST_EVERY_MS = 1_000;

/** Check that must pass before the service reports ready. Throws or rejects on failure. */
export type SelfTest = () => void | Promise<void>;

export class Lifecycle {
  readonly #drain = new AbortController();
  readonly #pass = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'draining' = 'starting';
  readonly draining = this.#drain.signal;
  /** Resolves when the self-test has passed. */
  readonly ready = this.#pass.promise;

  get state() {
    return this.#state;
  }

  /** Repeats the self-test until it passes, because the first try may fail on a busy machine. */
  async start(selfTest: SelfTest, onFailure: (error: unknown) => void): Promise<void> {
    while (this.#state === 'starting') {
      try {
        await selfTest();
        if (this.#state !== 'starting') return;
        this.#state = 'ready';
        this.#pass.resolve();
      } catch (error) {
        // If a shutdown interrupted the self-test, do not report a failure.
        if (this.#state === 'starting') onFailure(error);
        await delay(SELF_TEST_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /** Makes `/readyz` answer 503 and ends retries. Other paths work until the server closes. */
  drain(): void {
    this.#state = 'draining';
    this.#drain.abort();
  }
}

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
    'Readiness probe for load balancers. This probe needs no token. Returns 503 while the service is starting or shutting down.',
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
    'Send the request to another replica or try again later, because this one has not passed its self-test yet.',
  draining: 'Send the request to another replica, because this one is shutting down.',
};
