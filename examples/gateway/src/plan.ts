import {
  ActionArguments,
  type CHECK_SECTIONS,
  CheckResponse,
  Decision,
  ExecutionOutcome,
  Nullish,
  OneOf,
  Problem,
  Strict,
  sectionsBeside,
} from '@gatehouse/contracts';
import { type Static, Type } from '@sinclair/typebox';

const Id = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });

export const MAX_STEPS = 100;

/**
 * Sections of a check, with only the facts that a model may state. A plan cannot set
 * `user_limit_minor_units`, because its model could then raise its own limit.
 */
const SECTIONS = sectionsBeside({}) as typeof CHECK_SECTIONS;

/**
 * Step of a plan: an action, and the facts that the policy needs for its decision. The policy
 * requires approval if `spend`, `pii` or `legal` is missing.
 */
export const PlanStep = Strict({
  id: Id('Unique within the plan.'),
  title: Nullish(Type.String({ maxLength: 200, description: 'For people.' })),
  depends_on: Nullish(
    Type.Array(Type.String(), {
      maxItems: MAX_STEPS,
      description:
        'Ids of earlier steps that must succeed before this step runs. Default: the previous step. An empty list means that the step depends on no other step.',
    }),
  ),
  action: ActionArguments,
  ...SECTIONS,
});
export type PlanStep = Static<typeof PlanStep>;

export const Plan = Strict({
  plan_id: Nullish(Id('Generated when absent.')),
  steps: Type.Array(PlanStep, { minItems: 1, maxItems: MAX_STEPS }),
});
export type Plan = Static<typeof Plan>;

/** A person's approval of a step that waits. */
export const Approval = Strict({
  step: Id('Id of the step.'),
  digest: Id('`digest` of the result that the person has seen.'),
  approval: Nullish(
    Type.String({ description: 'Signed approval, if the result has an `approval_request`.' }),
  ),
});
export type Approval = Static<typeof Approval>;

/**
 * Result of a step, by `state`:
 * - `executed`: a request was attempted; see `outcome`.
 * - `refused`: the executor sent nothing; see `problem`.
 * - `awaiting_approval`: a person must approve the step; see `digest` and `approval_request`.
 * - `denied`: the policy denied the step.
 * - `failed`: the policy or the executor gave no usable answer; see `message` and `maybe_sent`.
 * - `not_reached`: a step that this step depends on has not succeeded, for example because it waits
 *   for approval.
 */
export const StepResult = Type.Object({
  id: Type.String(),
  title: Type.Optional(Type.String()),
  state: OneOf(['executed', 'refused', 'awaiting_approval', 'denied', 'failed', 'not_reached']),
  decision: Type.Union([Decision, Type.Null()], { description: '`null` if there is no decision.' }),
  rules: CheckResponse.properties.rules,
  digest: Type.Optional(
    Type.String({ description: 'Hash of the action, its facts and the reason for approval.' }),
  ),
  approval_request: Type.Optional(
    Type.String({ description: 'Text to sign, if the policy requires a signed approval.' }),
  ),
  outcome: Type.Optional(ExecutionOutcome),
  replayed: Type.Optional(
    Type.Boolean({ description: 'True if an earlier run of the step had this outcome.' }),
  ),
  problem: Type.Optional(Problem),
  message: Type.Optional(Type.String({ description: 'Why the step failed or did not run.' })),
  maybe_sent: Type.Optional(
    Type.Boolean({ description: 'True if a failed step may have been carried out.' }),
  ),
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
