// An example to copy from: a gateway that asks the policy before every action and lets the
// executor carry out what is allowed. `run-plan.ts` is the sequence.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import {
  createExecutorClient,
  createGate,
  createPolicyClient,
  type Gate,
  type Policy,
} from '@gatehouse/client';
import { decisionRecord, evaluatePolicy } from '@gatehouse/policy-engine';
import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import manifest from '../package.json' with { type: 'json' };
import type { GatewayConfig } from './config.ts';
import { answerProblems } from './problem.ts';
import { servePlans } from './serve-plans.ts';

/** Plans hold request bodies: 1 MiB, as much as the executor takes for one action. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** From the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 30_000;

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Gatehouse example gateway',
    description: 'Runs a planner’s plan through the policy and the executor.',
    version: manifest.version,
  },
  components: { securitySchemes: { token: { type: 'http' as const, scheme: 'bearer' } } },
};

/** The one of Swagger UI leads to https, which is not served. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** The gateway, not listening yet. Closing it closes its connections. */
export function buildApp(
  config: GatewayConfig,
  log?: { write(line: string): void },
): FastifyInstance {
  const app = fastify({
    logger: { level: config.logLevel, ...(log && { stream: log }) },
    bodyLimit: MAX_REQUEST_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: requestIdOf,
  });
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id));
  answerProblems(app);
  app.register(swagger, { openapi: DOCUMENT });
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: CONTENT_SECURITY_POLICY });
  const gate = gateOf(app, config);
  // Within `register`: the document shows what comes after its own plugin.
  app.register(async (routes) => servePlans(routes, gate, config.token));
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  app.get('/healthz', { schema: { hide: true } }, () => ({ status: 'ok' }));
  return app;
}

/** Its connections close with the gateway. */
function gateOf(app: FastifyInstance, { policy, executor }: GatewayConfig): Gate {
  const client = createExecutorClient(executor);
  const service = policy && createPolicyClient(policy);
  app.addHook('onClose', async () => {
    await Promise.all([client.close(), service?.close()]);
  });
  return createGate({ policy: service ?? inProcess(app.log), executor: client });
}

/** The caller's, if it can be passed on. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}

/** The same evaluation as the policy service's in this process, with the same record of it. */
const inProcess = (log: FastifyBaseLogger): Policy => ({
  check: (request, { requestId }) => {
    const response = evaluatePolicy(request);
    log.info({ request_id: requestId, ...decisionRecord(request, response) }, 'check');
    return response;
  },
});
