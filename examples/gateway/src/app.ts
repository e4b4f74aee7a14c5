import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type Policy,
  ProblemError,
  requestIdOf,
} from '@gatehouse/client';
import { problemDocument, summarizeViolations } from '@gatehouse/contracts';
import { decisionRecord, evaluate, readCheck, toResponse } from '@gatehouse/policy';
import fastify, { type FastifyBaseLogger } from 'fastify';
import manifest from '../package.json' with { type: 'json' };
import type { GatewayConfig } from './config.ts';
import { servePlans } from './plans.ts';
import { answerProblems, sendProblem } from './problem.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Gatehouse example gateway', version: manifest.version },
  components: { securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } } },
};

/** Builds the gateway without listening. `close()` also closes the clients of both services. */
export function buildApp(config: GatewayConfig, stream?: { write(line: string): void }) {
  const app = fastify({
    logger: { level: config.logLevel, ...(stream && { stream }) },
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    genReqId: ({ headers }) => requestIdOf(headers),
    frameworkErrors: sendProblem,
  });
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id));
  answerProblems(app);
  app.register(swagger, { openapi: DOCUMENT });
  app.register(swaggerUi, { routePrefix: '/docs' });
  const executor = createExecutorClient(config.executor);
  const policy = config.policy && createPolicyClient(config.policy);
  app.addHook('onClose', async () => void (await Promise.all([executor.close(), policy?.close()])));
  const gate = createGate({ executor, policy: policy ?? inProcess(app.log) });
  // Add routes with `register`, so that swagger loads first and can document the routes.
  app.register(async (routes) => servePlans(routes, { gate, executor }, config));
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  app.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }));
  return app;
}

/** Returns a policy that decides in this process and logs decisions like the policy service. */
const inProcess = (log: FastifyBaseLogger): Policy => ({
  check: (request, { requestId = '' }) => {
    const read = readCheck(request);
    if (!read.ok) {
      const { violations } = read;
      const details = { detail: summarizeViolations(violations), violations, requestId };
      throw new ProblemError('policy', problemDocument('InvalidRequest', details));
    }

    const evaluation = evaluate(read.value);
    log.info({ request_id: requestId, ...decisionRecord(read.value, evaluation) }, 'check');
    return toResponse(evaluation);
  },
});
