import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { callOptionsOf, type Gate } from '@gatehouse/client';
import { summarizeViolations, type Violation } from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/contracts/json';
import { compileValidator } from '@gatehouse/contracts/validation';
import { CHECK_FORMATS } from '@gatehouse/policy';
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import { MAX_STEPS, Plan, PlanResult } from './plan.ts';
import { GatewayProblem, requestError } from './problem.ts';
import { runPlan, statusOf } from './run-plan.ts';

const DOCUMENTATION: FastifySchema = {
  operationId: 'runPlan',
  summary: 'Runs the steps of a plan',
  description:
    'Runs the steps that the policy allows, in order. A denied or failed step stops the plan.',
  body: Plan,
  response: { 200: PlanResult, '4xx': GatewayProblem },
  security: [{ token: [] }, {}],
};

/** Answers `POST /plans` with the result of each step, or with a 400 if the plan is invalid. */
export function servePlans(app: FastifyInstance, gate: Gate, token: string | undefined): void {
  const digest = (text = '') => createHash('sha256').update(text).digest();
  const wanted = digest(`Bearer ${token}`);
  app.addHook('onRequest', async ({ headers }) => {
    if (token !== undefined && !timingSafeEqual(digest(headers.authorization), wanted))
      throw requestError(401, 'Send the token as `authorization: Bearer <token>`.');
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parse);
  // Disable Fastify's validation, because `readPlan` validates plans and lists all violations.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.post('/plans', { schema: DOCUMENTATION }, async (request, reply) => {
    const { plan_id, steps } = readPlan(request.body);
    const call = { ...callOptionsOf(request.raw, reply.raw), requestId: request.id };
    const results = await runPlan(steps, gate, call);
    for (const { id, state, message } of results)
      if (state === 'failed') request.log.warn({ step: id, reason: message }, 'step failed');
    const waiting = results.filter(({ state }) => state === 'awaiting_approval');
    return {
      ...{ plan_id: plan_id ?? randomUUID(), status: statusOf(results), steps: results },
      awaiting_approval: waiting.map(({ id }) => id),
    };
  });
}

const checkPlan = compileValidator(Plan, CHECK_FORMATS);

/** Returns the plan if it is valid. @throws an error that says how to correct the plan. */
function readPlan(value: unknown): Plan {
  const { steps } = Object(value);
  // Validating thousands of steps would delay other callers, so check the number of steps first.
  if (Array.isArray(steps) && steps.length > MAX_STEPS) throw invalid(TOO_MANY_STEPS);
  const checked = checkPlan(value);
  const violations = checked.ok ? repeatedIds(checked.value) : checked.violations;
  if (checked.ok && violations.length === 0) return checked.value;
  throw invalid(violations);
}

const invalid = (violations: readonly Violation[]) =>
  requestError(400, summarizeViolations(violations), violations);

const TOO_MANY_STEPS = [{ pointer: '/steps', message: `must have at most ${MAX_STEPS} items` }];

const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** Parses a plan. @throws for a number that JavaScript would round, such as a 20-digit amount. */
async function parse({ headers }: FastifyRequest, body: Buffer): Promise<unknown> {
  const [, charset = 'utf-8'] = CHARSET.exec(headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') throw requestError(415, 'Send the plan in UTF-8.');
  try {
    return parseExact(body);
  } catch (error) {
    throw requestError(400, `The plan cannot be read: ${(error as Error).message}`);
  }
}

function repeatedIds({ steps }: Plan): Violation[] {
  const ids = steps.map(({ id }) => id);
  const message = 'must differ from the id of every other step';
  return ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [{ pointer: `/steps/${index}/id`, message }] : [],
  );
}
