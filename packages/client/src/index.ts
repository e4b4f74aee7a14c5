export type { BatchResults, Explained } from './answers.ts';
export {
  ExecutionFailedError,
  GatehouseError,
  NoAnswerError,
  type NoAnswerReason,
  ProblemError,
} from './errors.ts';
export { createExecutorClient, type ExecutorClient } from './executor-client.ts';
export {
  type Allowed,
  createGate,
  type Denied,
  type Executed,
  type Gate,
  type GatedAction,
  type GateOptions,
  type GateResult,
  type NeedsApproval,
  type Policy,
  type Refused,
  type RunOptions,
  type Unanswered,
  type Verdict,
} from './gate.ts';
export type { CallOptions, ServiceOptions } from './options.ts';
export {
  createPolicyClient,
  type DenyWithoutAnswer,
  type PolicyClient,
} from './policy-client.ts';
