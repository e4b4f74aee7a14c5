export type { BatchResults, Explained } from './answers.ts';
export type { CheckOptions, Policy } from './ask-policy.ts';
export { GatehouseError, NoAnswerError, type NoAnswerReason, ProblemError } from './errors.ts';
export {
  createExecutorClient,
  type ExecuteOptions,
  type Execution,
  type ExecutorClient,
} from './executor-client.ts';
export { type Approved, createGate, type Gate, type GateOptions, type RunOptions } from './gate.ts';
export type {
  Allowed,
  Denied,
  Executed,
  GateResult,
  NeedsApproval,
  Refused,
  Unanswered,
  Verdict,
} from './gate-result.ts';
export { approvalDigest, type GatedAction, withoutCredentials } from './gated-action.ts';
export { type CallOptions, callOptionsOf, requestIdOf, type ServiceOptions } from './options.ts';
export { createPolicyClient, type DenyWithoutAnswer, type PolicyClient } from './policy-client.ts';
