export { parseNetworks } from './addresses/address.ts';
export { MAX_REDIRECTS } from './attempt/redirect.ts';
export type { AttemptEnd, AttemptStart, Observer } from './attempt/result.ts';
export type { Clock } from './clock.ts';
export { inspectSecrets } from './credentials/inspect-secrets.ts';
export type { DecisionKeys, DecisionRules } from './decisions/verify.ts';
export { compareDestinations } from './destinations/changes.ts';
export { chooseDestination } from './destinations/choose.ts';
export {
  allowsCaller,
  type Destination,
  type Destinations,
  listHosts,
  parseAllowlist,
} from './destinations/destinations.ts';
export { readDestinations } from './destinations/file.ts';
export { type LoadedDestinations, loadDestinations } from './destinations/load.ts';
export {
  type Claim,
  type ClaimRefusal,
  type Claims,
  type EffectKey,
  type EffectStore,
  type KnownKey,
  type StoredOutcome,
  StoreUnavailable,
  type Use,
} from './effects/store.ts';
export { Cancelled, Refusal } from './errors.ts';
export type { ExecutionContext } from './execute.ts';
export type { Sender } from './guard/binding.ts';
export { checkBody } from './json-schema/check.ts';
export { compileSchema, SCHEMA_LIMITS } from './json-schema/compile.ts';
export { EXECUTION_DEFAULTS, type ExecutionLimits } from './limits.ts';
export { type Executor, type ExecutorSettings, openExecutor } from './open-executor.ts';
export type { Outcome } from './outcome/outcome.ts';
export { RETRY_POLICY, type RetryEvent } from './retry/decide.ts';
export { createSandbox, type Sandbox, type SettingNames } from './sandbox.ts';
export { headerRules } from './secrets/header-names.ts';
export { MAX_SCHEMA_BYTES } from './threads/response-schemas.ts';
export { SCHEMA_CPU_MS } from './threads/threads.ts';
export type { Resolve } from './transport/address-guard.ts';
