import { randomUUID } from 'node:crypto';
import { Problem } from '@gatehouse/contracts';
import {
  abortSignalFor,
  invalid,
  loggerOf,
  type Reply,
  type Request,
  type Server,
  traceHeaders,
} from '@gatehouse/service';
import type { Executor } from '../executor-client.ts';
import { Plan, PlanResult } from '../plan.ts';
import { planViolations } from '../plan-violations.ts';
import type { Policy } from '../policy-client.ts';
import type { Call } from '../post-json.ts';
import { planResult, runPlan } from '../run-plan.ts';

/** `POST /plans`: 200 with the result of each step, good or bad; 400 for a malformed plan. */
export function servePlans(app: Server, deps: { policy: Policy; executor: Executor }): void {
  app.post(
    '/plans',
    {
      schema: { body: Plan, response: { 200: PlanResult, '4xx': Problem } },
      // A serializer made from the schema would drop members of outcomes.
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const { plan_id, steps } = request.body;
      const violations = planViolations(request.body);
      if (violations.length > 0) throw invalid('InvalidRequest', violations);

      const onFailure = (step: string, error: unknown) =>
        loggerOf(request).warn({ step, err: error }, 'step failed');
      const now = () => performance.now();
      const results = await runPlan(steps, { ...deps, now, onFailure }, callFor(request, reply));
      return planResult(plan_id ?? randomUUID(), results);
    },
  );
}

/** Calls carry the request's id and trace, and end when its caller goes away. */
function callFor(request: Request, reply: Reply): Call {
  const headers = { 'x-request-id': request.id, ...Object.fromEntries(traceHeaders(request)) };
  return { headers, signal: abortSignalFor(reply) };
}
