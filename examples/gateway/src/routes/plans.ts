import { randomUUID } from 'node:crypto';
import type { CallOptions, Gate } from '@gatehouse/client';
import {
  abortSignalFor,
  loggerOf,
  type Reply,
  type Request,
  type Server,
  traceHeaders,
  validatedBy,
} from '@gatehouse/service';
import { checkPlan } from '../check-plan.ts';
import { planSchema } from '../documentation.ts';
import { planResult, runPlan } from '../run-plan.ts';

/** `POST /plans`: 200 with the result of each step, good or bad; 400 for a malformed plan. */
export function servePlans(app: Server, gate: Gate): void {
  app.post(
    '/plans',
    {
      schema: planSchema,
      validatorCompiler: validatedBy(checkPlan, 'InvalidRequest'),
      // One made from the schema would drop members of outcomes.
      serializerCompiler: () => JSON.stringify,
    },
    async (request, reply) => {
      const { plan_id, steps } = request.body;
      const results = await runPlan(steps, gate, callFor(request, reply));
      for (const { id, state, message } of results)
        if (state === 'failed')
          loggerOf(request).warn({ step: id, reason: message }, 'step failed');
      return planResult(plan_id ?? randomUUID(), results);
    },
  );
}

/** Calls carry the request's id and trace, and end when its caller goes away. */
function callFor(request: Request, reply: Reply): CallOptions {
  const trace = Object.fromEntries(traceHeaders(request));
  return { requestId: request.id, ...trace, signal: abortSignalFor(reply) };
}
