import { randomUUID } from 'node:crypto';
import { callOptionsOf } from '@gatehouse/client';
import { summarizeViolations, type Violation } from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/contracts/json';
import { compileValidator } from '@gatehouse/contracts/validation';
import { CHECK_FORMATS } from '@gatehouse/policy';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Approval, MAX_STEPS, Plan, PlanResult, type StepResult } from './plan.ts';
import { type PlanRecord, PlanStore } from './plan-store.ts';
import { GatewayProblem, requestError } from './problem.ts';
import { type Parts, runPlan, statusOf } from './run-plan.ts';
import { refuseApprovals, requireToken } from './token.ts';

const ANSWERS = { 200: PlanResult, '4xx': GatewayProblem };

const RUN: FastifySchema = {
  operationId: 'runPlan',
  summary: 'Runs or resumes a plan',
  description:
    'Runs the steps of a plan in order. A step runs only if the policy allows it and all steps that it depends on have succeeded. If you send a plan again, only steps that were not sent run.',
  body: Plan,
  response: ANSWERS,
  security: [{ token: [] }, {}],
};

const APPROVE: FastifySchema = {
  operationId: 'approveStep',
  summary: 'Approves a waiting step and resumes its plan',
  description: 'Needs the token of an approver, because planners must not approve their own steps.',
  params: Type.Object({ plan_id: Type.String() }),
  body: Approval,
  response: ANSWERS,
  security: [{ token: [] }],
};

export interface Tokens {
  /** Token of planners. If undefined, anyone may send plans. */
  readonly token: string | undefined;
  /** Token of approvers. If undefined, no one may approve steps. */
  readonly approverToken: string | undefined;
}

/** Serves `POST /plans` and `POST /plans/:plan_id/approvals`. */
export function servePlans(app: FastifyInstance, parts: Parts, tokens: Tokens): void {
  const plans = new PlanStore();
  const run = async (
    request: FastifyRequest,
    { raw }: FastifyReply,
    ...[record, approval]: Run
  ) => {
    const call = { ...callOptionsOf(request.raw, raw), requestId: request.id };
    const steps = await plans.runAlone(record, () => runPlan(record, parts, call, approval));
    for (const { id, state, message } of steps)
      if (state === 'failed') request.log.warn({ step: id, reason: message }, 'step failed');
    return toPlanResult(record.planId, steps);
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parse);
  // Disable Fastify's validation, because `readPlan` validates plans and lists all violations.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);

  const planner = tokens.token === undefined ? [] : requireToken(tokens.token);
  app.post('/plans', { schema: RUN, onRequest: planner }, async (request, reply) => {
    const { plan_id, steps } = readPlan(request.body);
    return await run(request, reply, plans.open(plan_id ?? randomUUID(), steps));
  });

  const approver =
    tokens.approverToken === undefined ? refuseApprovals : requireToken(tokens.approverToken);
  const options = { schema: APPROVE, onRequest: approver };
  app.post<ApprovalRoute>('/plans/:plan_id/approvals', options, async (request, reply) => {
    const { plan_id } = request.params;
    const approval = readApproval(request.body);
    const record = plans.findWaiting(plan_id, approval);
    const { step, digest } = approval;
    request.log.info({ plan_id, step, digest }, 'approval');
    return await run(request, reply, record, approval);
  });
}

type Run = readonly [record: PlanRecord, approval?: Approval];

interface ApprovalRoute {
  Params: { readonly plan_id: string };
}

function toPlanResult(plan_id: string, steps: StepResult[]): PlanResult {
  const waiting = steps.filter(({ state }) => state === 'awaiting_approval');
  const awaiting_approval = waiting.map(({ id }) => id);
  return { plan_id, status: statusOf(steps), steps, awaiting_approval };
}

const checkPlan = compileValidator(Plan, CHECK_FORMATS);

/** Returns the plan if it is valid. @throws an error that says how to correct the plan. */
function readPlan(value: unknown): Plan {
  const { steps } = Object(value);
  // Validating thousands of steps would delay other callers, so check the number of steps first.
  if (Array.isArray(steps) && steps.length > MAX_STEPS) throw invalid(TOO_MANY_STEPS);
  const checked = checkPlan(value);
  if (!checked.ok) throw invalid(checked.violations);
  const violations = [...repeatedIds(checked.value), ...unknownNeeds(checked.value)];
  if (violations.length > 0) throw invalid(violations);
  return checked.value;
}

const checkApproval = compileValidator(Approval);

function readApproval(value: unknown): Approval {
  const checked = checkApproval(value);
  if (!checked.ok) throw invalid(checked.violations);
  return checked.value;
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

/** Finds dependencies on later or unknown steps, which could never be met. */
function unknownNeeds({ steps }: Plan): Violation[] {
  const ids = steps.map(({ id }) => id);
  const message = 'must be the id of an earlier step';
  return steps.flatMap(({ depends_on }, index) =>
    (depends_on ?? []).flatMap((id, at) =>
      ids.slice(0, index).includes(id)
        ? []
        : [{ pointer: `/steps/${index}/depends_on/${at}`, message }],
    ),
  );
}
