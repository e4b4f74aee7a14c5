import type { DryRun } from '@gatehouse/contracts';
import { Admission } from './admission/admission.ts';
import { type Clock, systemClock } from './clock.ts';
import { openUpstreams } from './credentials/upstreams.ts';
import type { DecisionRules } from './decisions/verify.ts';
import type { LoadedDestinations } from './destinations/load.ts';
import { dryRun } from './dry-run.ts';
import { MemoryStore } from './effects/memory-store.ts';
import type { EffectStore } from './effects/store.ts';
import { type ExecutionContext, execute, type Parts } from './execute.ts';
import type { GuardRules } from './guard/guard.ts';
import { redactRefusal } from './guard/redact-refusal.ts';
import { EXECUTION_DEFAULTS, type ExecutionLimits } from './limits.ts';
import type { Outcome } from './outcome/outcome.ts';
import type { Sandbox } from './sandbox.ts';
import { type HeaderSettings, headerRules } from './secrets/header-names.ts';
import { ResponseSchemas } from './threads/response-schemas.ts';
import { Threads } from './threads/threads.ts';
import type { AddressGuardOptions } from './transport/address-guard.ts';
import { UndiciTransport } from './transport/undici-transport.ts';
import { Turns } from './turns.ts';
import { threadHeapMb, Validator } from './validate.ts';

export interface ExecutorSettings extends HeaderSettings {
  /** If set, every execution needs a decision token. */
  readonly decisions: DecisionRules;
  /** Default: used tokens are remembered in memory, and executions have no idempotency keys. */
  readonly store: EffectStore;
  readonly limits: ExecutionLimits;
  /** Maximum size of a `response_schema` in bytes of JSON. */
  readonly maxSchemaBytes: number;
  /** CA certificates in PEM format, trusted in addition to Node's built-in certificates. */
  readonly upstreamCa: string | undefined;
  readonly proxy: string | undefined;
}

export interface Executor {
  /**
   * Executes an action. Pass `body` and `response_schema` as `JsonText` to keep all digits.
   * @throws {Refusal} when nothing was sent, for example because the action is malformed.
   * @throws {Cancelled} when the caller has disconnected or the executor was closed.
   */
  execute(action: unknown, context: ExecutionContext): Promise<Outcome>;
  /** Checks an action and resolves its host without connecting. Throws what `execute` throws. */
  dryRun(action: unknown, context: ExecutionContext): Promise<DryRun>;
}

interface Surroundings extends AddressGuardOptions {
  readonly clock?: Clock;
  /** Aborted when the process starts to shut down, so that executions start no more attempts. */
  readonly draining?: AbortSignal;
}

const NEVER = new AbortController().signal;

/** A connection that takes longer than this part of an attempt is given up and tried anew. */
const CONNECT_SHARE = 2 / 3;

/** Opens an executor with its transport and worker threads. All settings are optional. */
export function openExecutor(
  sandbox: Sandbox,
  settings: Partial<ExecutorSettings> = {},
  surroundings: Surroundings = {},
) {
  const { limits = EXECUTION_DEFAULTS, upstreamCa: ca, proxy } = settings;
  const { clock = systemClock, draining = NEVER, ...guarded } = surroundings;
  const { attemptTimeoutMs, maxRequestBytes, maxResponseBytes } = limits;
  const connectTimeoutMs = Math.ceil(CONNECT_SHARE * attemptTimeoutMs);
  const transport = new UndiciTransport(sandbox.mayReach, {
    ca,
    proxy,
    connectTimeoutMs,
    ...guarded,
  });
  const threads = new Threads({ heapMb: threadHeapMb(maxResponseBytes) });
  const rules: GuardRules = {
    ...{ sandbox, maxRequestBytes, headerRules: headerRules(settings), clock },
    ...{ decisions: settings.decisions, keepsKeys: settings.store !== undefined },
    schemas: new ResponseSchemas(threads, settings.maxSchemaBytes),
  };
  const parts: Parts = {
    ...{ rules, transport: transport.send, limits, clock, draining },
    store: settings.store ?? new MemoryStore(clock),
    admission: new Admission(limits, clock, sandbox.names),
    turns: new Turns(),
    validator: new Validator(threads, maxResponseBytes),
  };
  const redacted = (action: unknown) => async (error: unknown) => {
    throw await redactRefusal(error, action, rules.headerRules);
  };
  const keyed = new Set<Promise<Outcome>>();
  const executor: Executor = {
    execute: (action, context) => {
      const outcome = execute(action, context, parts).catch(redacted(action));
      if (context.key === undefined) return outcome;
      keyed.add(outcome);
      return outcome.finally(() => keyed.delete(outcome));
    },
    dryRun: (action, context) =>
      dryRun(action, context, { ...parts, preview: transport.preview }).catch(redacted(action)),
  };
  return {
    executor,
    /** Applies a loaded destinations file to all new executions. */
    use: (file: LoadedDestinations) => {
      const deps = { transport: transport.send, clock, attemptTimeoutMs };
      sandbox.upstreams = openUpstreams(file, sandbox.upstreams, deps);
      transport.retain(file.tls.values());
    },
    /** Waits for executions with a key, whose callers may have left, and then closes. */
    close: async () => {
      await Promise.allSettled(keyed);
      await Promise.all([transport.close(), threads.close()]);
    },
  };
}
