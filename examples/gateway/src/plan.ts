import {
  ActionArguments,
  CHECK_SECTIONS,
  CheckResponse,
  ExecutionOutcome,
  Nullish,
  OneOf,
  Outcome,
  Problem,
  Strict,
} from '@gatehouse/contracts';
import { type Static, Type } from '@sinclair/typebox';

const MAX_STEPS = 100;

/** One action, and what it would spend and touch. Without a section it needs approval. */
export const PlanStep = Strict({
  id: Type.String({ minLength: 1, maxLength: 128, description: 'Unique within the plan.' }),
  title: Nullish(Type.String({ maxLength: 200, description: 'For people.' })),
  action: ActionArguments,
  ...CHECK_SECTIONS,
});
export type PlanStep = Static<typeof PlanStep>;

/** What a planner sends: steps to run in order. */
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

export const EXAMPLE: Plan = {
  plan_id: 'afternoon',
  steps: [
    {
      id: 'read-product',
      action: { method: 'GET', url: 'https://api.shop.example/products/7' },
      spend: { amount_minor_units: 0, currency: 'EUR' },
      pii: { categories: [] },
      legal: { flags: [] },
    },
  ],
};

/**
 * - `executed`: a request was attempted; see `outcome`.
 * - `refused`: the executor sent nothing; see `problem`.
 * - `awaiting_approval`, `denied`: not run, because of the policy.
 * - `failed`: policy or executor gave no usable answer; see `message`.
 * - `not_reached`: the plan had stopped.
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
 * - `denied`, `failed`: such a step stopped the plan.
 * - `awaiting_approval`: the end was reached, but some steps wait for a person.
 * - `completed`: every step was executed or refused; some may have failed upstream.
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
