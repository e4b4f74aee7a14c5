export { SCHEMA_BUDGET_MS, SCHEMA_LIMITS } from '@gatehouse/json-schema';
export { MAX_REDIRECTS } from './attempt/redirect.ts';
export type { AttemptEnd, AttemptStart, Observer } from './attempt/result.ts';
export type { Clock } from './clock.ts';
export { inspectSecrets } from './credentials/inspect-secrets.ts';
export { Cancelled, Refusal } from './errors.ts';
export type { ExecutionContext, Executor } from './execute.ts';
export { inspectAction } from './guard/guard.ts';
export { EXECUTION_DEFAULTS, type ExecutionLimits, MAX_JSON_DEPTH } from './limits.ts';
export {
  type LoadedDestinations,
  loadDestinations,
  UnusableTlsFile,
} from './loaded-destinations.ts';
export { type ExecutorSettings, openExecutor } from './open-executor.ts';
export type { Outcome } from './outcome/outcome.ts';
export { redactorFactory } from './redact/redact.ts';
export { redactionRules } from './redact/response-headers.ts';
export { RETRY_POLICY, type RetryEvent } from './retry/retry-decision.ts';
export { parseNetworks } from './sandbox/address.ts';
export { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
export { type BodyToExamine, createExaminer, type Examiner } from './threads/examiner.ts';
export { MAX_LOOKUPS, type Resolve } from './transport/lookups.ts';
export { MAX_SCHEMA_BYTES } from './validate/response-schemas.ts';
