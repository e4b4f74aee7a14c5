export { parseNetworks } from './address.ts';
export { parseAllowlist } from './allowlist.ts';
export type { RetryEvent } from './attempts.ts';
export { type Clock, systemClock } from './clock.ts';
export { credentialHeaders } from './credentials.ts';
export {
  createExecutor,
  type Execute,
  type ExecutionContext,
  type ExecutionLimits,
  type ExecutorOptions,
} from './execute.ts';
export { MAX_REDIRECTS } from './redirect.ts';
export { Cancelled, Refusal } from './refusal.ts';
export { RETRY_POLICY, type RetryPolicy } from './retry.ts';
export { createSandbox, type Sandbox } from './sandbox.ts';
export type { GuardedConnectOptions, Resolve } from './transport/connect.ts';
export { type UndiciTransport, undiciTransport } from './transport/undici.ts';
export type { Transport, WireRequest, WireResponse } from './transport.ts';
