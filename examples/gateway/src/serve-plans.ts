import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { CallOptions, Gate } from '@gatehouse/client';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { EXAMPLE, Plan, PlanResult } from './plan.ts';
import { Problem, ProblemError } from './problem.ts';
import { readJson, readPlan } from './read-plan.ts';
import { planResult, runPlan } from './run-plan.ts';

const DOCUMENTATION: FastifySchema = {
  operationId: 'runPlan',
  tags: ['plans'],
  summary: 'Run a plan',
  description:
    'Runs the steps in order. Each is checked first, and executed only if it is allowed; a denied or failed one stops the plan.',
  body: { ...Plan, examples: [EXAMPLE] },
  response: { 200: PlanResult, '4xx': Problem },
  security: [{ token: [] }, {}],
};

/** `POST /plans`: 200 with the result of each step, good or bad; 400 for a malformed plan. */
export function servePlans(app: FastifyInstance, gate: Gate, token: string | undefined): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => readJson(body),
  );
  app.addHook('onRequest', async ({ headers }) => {
    if (token !== undefined && !isSame(headers.authorization ?? '', `Bearer ${token}`))
      throw new ProblemError(401, 'Send the token as `authorization: Bearer <token>`.');
  });
  // Schemas are for readers: `readPlan` says more than one violation, and changes nothing.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.post('/plans', { schema: DOCUMENTATION }, async (request, reply) => {
    const { plan_id, steps } = readPlan(request.body);
    const results = await runPlan(steps, gate, callFor(request, reply));
    for (const { id, state, message } of results)
      if (state === 'failed') request.log.warn({ step: id, reason: message }, 'step failed');
    return planResult(plan_id ?? randomUUID(), results);
  });
}

/** In a time that tells nothing of what is right. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Calls carry the request's id and trace, and end when its caller goes away. */
function callFor({ id, headers }: FastifyRequest, { raw }: FastifyReply): CallOptions {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  const { traceparent, tracestate } = headers as Record<string, string | undefined>;
  return { requestId: id, traceparent, tracestate, signal: gone.signal };
}
