import {
  ActionArguments,
  CHECK_SECTIONS,
  CheckResponse,
  ExecutionOutcome,
  Nullish,
  OneOf,
  Outcome,
  Problem,
  Spend,
  Strict,
} from '@gatehouse/contracts';
import { type Static, Type } from '@sinclair/typebox';

const MAX_STEPS = 100;

/**
 * Without the `format` of the currency, which a route's validator does not know:
 * `planViolations` looks codes up.
 */
const PlannedSpend = Strict({
  ...Spend.properties,
  currency: Type.String({ description: 'ISO 4217 alphabetic code, upper or lower case.' }),
});

/**
 * One action, and what it would spend and touch. A section that is left out makes the
 * policy ask for approval.
 */
export const PlanStep = Strict({
  id: Type.String({ minLength: 1, maxLength: 128, description: 'Unique within the plan.' }),
  title: Nullish(Type.String({ maxLength: 200, description: 'For people.' })),
  action: ActionArguments,
  ...CHECK_SECTIONS,
  spend: Nullish(PlannedSpend),
});
export type PlanStep = Static<typeof PlanStep>;

/** What a planner sends: steps that are gone through in order. */
export const Plan = Strict(
  {
    plan_id: Nullish(
      Type.String({ minLength: 1, maxLength: 128, description: 'Generated when absent.' }),
    ),
    steps: Type.Array(PlanStep, { minItems: 1, maxItems: MAX_STEPS }),
  },
  { title: 'Plan' },
);
export type Plan = Static<typeof Plan>;

/**
 * How a step ended: `executed`, a request was attempted and `outcome` says with what
 * success; `refused`, the executor sent nothing and `problem` says why;
 * `awaiting_approval` and `denied`, the policy held it back; `failed`, policy or executor
 * gave no usable answer and `message` says which; `not_reached`, the plan had stopped.
 */
export const STEP_STATES = [
  'executed',
  'refused',
  'awaiting_approval',
  'denied',
  'failed',
  'not_reached',
] as const;
export type StepState = (typeof STEP_STATES)[number];

export const StepResult = Type.Object({
  id: Type.String(),
  title: Type.Optional(Type.String()),
  state: OneOf(STEP_STATES),
  decision: Type.Union([Outcome, Type.Null()], {
    description: '`null` when the policy gave none.',
  }),
  rules: CheckResponse.properties.rules,
  outcome: Type.Optional(ExecutionOutcome),
  problem: Type.Optional(Problem),
  message: Type.Optional(Type.String({ description: 'Why the step failed.' })),
  duration_ms: Type.Integer(),
});
export type StepResult = Static<typeof StepResult>;

/**
 * `denied` and `failed`: the plan stopped at that step. `awaiting_approval`: it was gone
 * through, but for the steps listed. `completed`: it was gone through; the state and
 * outcome of each step say how it ended.
 */
export const PLAN_STATUSES = ['completed', 'awaiting_approval', 'denied', 'failed'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

export const PlanResult = Type.Object(
  {
    plan_id: Type.String(),
    status: OneOf(PLAN_STATUSES),
    steps: Type.Array(StepResult),
    awaiting_approval: Type.Array(Type.String(), {
      description: 'Ids of the steps that wait for a person.',
    }),
  },
  { title: 'PlanResult' },
);
export type PlanResult = Static<typeof PlanResult>;
