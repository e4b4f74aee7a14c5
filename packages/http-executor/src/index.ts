export { SCHEMA_BUDGET_MS, SCHEMA_LIMITS } from '@gatehouse/json-schema';
export type { AttemptEnd, AttemptStart, AttemptWatch, Observer } from './attempt/observer.ts';
export { MAX_REDIRECTS } from './attempt/redirect.ts';
export { RETRY_POLICY } from './attempt/retry-decision.ts';
export type { ExecutionContext, RetryEvent } from './attempt/retry-loop.ts';
export type { Clock } from './clock.ts';
export type { ConcurrencyLimits } from './concurrency.ts';
export { Cancelled, Refusal } from './errors.ts';
export type { Action, ExecutionLimits, Executor } from './execute.ts';
export { inspectAction } from './guard/guard.ts';
export { MAX_JSON_DEPTH } from './json-depth.ts';
export {
  EXECUTION_DEFAULTS,
  type ExecutorSettings,
  type OpenExecutor,
  openExecutor,
} from './open-executor.ts';
export { type HeaderMode, redactionRules } from './redact/header-names.ts';
export { redactorFactory } from './redact/redactor.ts';
export { type BodyToExamine, createExaminer, type Examiner } from './response/examiner.ts';
export type { Outcome } from './response/outcome.ts';
export { type CompiledSchema, MAX_SCHEMA_BYTES } from './response/response-schemas.ts';
export { parseAllowlist } from './sandbox/allowlist.ts';
export { portOf } from './sandbox/host.ts';
export { parseNetworks } from './sandbox/networks.ts';
export { createSandbox, type Sandbox, type SettingNames } from './sandbox/sandbox.ts';
export type { GuardedConnectOptions } from './transport/connect.ts';
export { type LookupLimits, type Resolve, SYSTEM_LOOKUPS } from './transport/lookups.ts';
