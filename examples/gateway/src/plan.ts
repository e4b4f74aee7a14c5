import {
  ActionArguments,
  CHECK_SECTIONS,
  CheckResponse,
  Decision,
  ExecutionOutcome,
  Nullish,
  OneOf,
  Problem,
  Strict,
} from '@gatehouse/contracts';
import { type Static, Type } from '@sinclair/typebox';

const Id = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });

/**
 * Step of a plan: an action, and the facts that the policy needs for its decision. The policy
 * requires approval if `spend`, `pii` or `legal` is missing.
 */
export const PlanStep = Strict({
  id: Id('Unique within the plan.'),
  title: Nullish(Type.String({ maxLength: 200, description: 'For people.' })),
  action: ActionArguments,
  ...CHECK_SECTIONS,
});
export type PlanStep = Static<typeof PlanStep>;

export const MAX_STEPS = 100;

export const Plan = Strict({
  plan_id: Nullish(Id('Generated when absent.')),
  steps: Type.Array(PlanStep, { minItems: 1, maxItems: MAX_STEPS }),
});
export type Plan = Static<typeof Plan>;

/**
 * Result of a step, by `state`:
 * - `executed`: a request was attempted; see `outcome`.
 * - `refused`: the executor sent nothing; see `problem`.
 * - `awaiting_approval`, `denied`: the policy prevented the step.
 * - `failed`: the policy or the executor gave no usable answer; see `message`.
 * - `not_reached`: an earlier step was denied or failed and stopped the plan.
 */
export const StepResult = Type.Object({
  id: Type.String(),
  title: Type.Optional(Type.String()),
  state: OneOf(['executed', 'refused', 'awaiting_approval', 'denied', 'failed', 'not_reached']),
  decision: Type.Union([Decision, Type.Null()], { description: '`null` if there is no decision.' }),
  rules: CheckResponse.properties.rules,
  outcome: Type.Optional(ExecutionOutcome),
  problem: Type.Optional(Problem),
  message: Type.Optional(Type.String({ description: 'Why the step failed.' })),
  duration_ms: Type.Integer(),
});
export type StepResult = Static<typeof StepResult>;

/**
 * Result of a plan. `completed` means that every step was executed or refused. An executed step may
 * still have failed upstream, for example with a 404.
 */
export const PlanResult = Type.Object({
  plan_id: Type.String(),
  status: OneOf(['completed', 'awaiting_approval', 'denied', 'failed']),
  steps: Type.Array(StepResult),
  awaiting_approval: Type.Array(Type.String(), {
    description: 'Ids of the steps that wait for approval.',
  }),
});
export type PlanResult = Static<typeof PlanResult>;
export type PlanStatus = PlanResult['status'];
