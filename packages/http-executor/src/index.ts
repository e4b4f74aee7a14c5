export { parseNetworks } from './address.ts';
export { parseAllowlist } from './allowlist.ts';
export type { RetryEvent } from './attempts.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  createExecutor,
  type ExecutionContext,
  type ExecutionLimits,
  type Executor,
  type ExecutorOptions,
} from './execute.ts';
export { inspectAction } from './guard.ts';
export { MAX_JSON_DEPTH } from './json-depth.ts';
export type { AttemptEnd, AttemptStart, AttemptWatch, Observer } from './observer.ts';
export { type RedactionRules, redactionRules } from './redact.ts';
export { MAX_REDIRECTS } from './redirect.ts';
export { Cancelled, Refusal } from './refusal.ts';
export { RETRY_POLICY, type RetryPolicy } from './retry.ts';
export { createSandbox, type Sandbox } from './sandbox.ts';
export { SCHEMA_LIMITS } from './schema/lint.ts';
export { createResponseSchemas, type ResponseSchemas, SCHEMA_BUDGET_MS } from './schema/response-schemas.ts';
export type { ConcurrencyLimits } from './slots.ts';
export type { GuardedConnectOptions, Resolve } from './transport/connect.ts';
export { type UndiciTransport, undiciTransport } from './transport/undici.ts';
export type { Preview, ResponseHandler, ResponseHead, Transport, WireRequest } from './transport.ts';
