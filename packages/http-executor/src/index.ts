export type { RetryEvent } from './attempt/attempts.ts';
export { MAX_REDIRECTS } from './attempt/redirect.ts';
export { RETRY_POLICY, type RetryPolicy } from './attempt/retry.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type Action,
  createExecutor,
  type ExecutionContext,
  type ExecutionLimits,
  type Executor,
  type ExecutorOptions,
} from './execute.ts';
export { inspectAction } from './guard/guard.ts';
export { MAX_JSON_DEPTH } from './json-depth.ts';
export type { AttemptEnd, AttemptStart, AttemptWatch, Observer } from './observer.ts';
export { type HeaderMode, redactionRules } from './redact/header-rules.ts';
export { type RedactionRules, type Redactor, redactorFactory } from './redact/redactor.ts';
export { Cancelled, Refusal } from './refusal.ts';
export { createExaminer, type Examiner } from './response/examiner.ts';
export type { Outcome } from './response/outcome.ts';
export { parseNetworks } from './sandbox/address.ts';
export { parseAllowlist } from './sandbox/allowlist.ts';
export { createSandbox, type Sandbox } from './sandbox/sandbox.ts';
export { type CompiledSchema, SCHEMA_BUDGET_MS } from './schema/compile.ts';
export { SCHEMA_LIMITS } from './schema/lint.ts';
export type { ConcurrencyLimits } from './slots.ts';
export type { GuardedConnectOptions } from './transport/connect.ts';
export { type LookupLimits, type Resolve, SYSTEM_LOOKUPS } from './transport/lookups.ts';
export { type UndiciTransport, undiciTransport } from './transport/undici.ts';
export type {
  Preview,
  ResponseHandler,
  ResponseHead,
  Stage,
  Transport,
  WireRequest,
} from './transport.ts';
