import { systemClock } from './clock.ts';
import type { ConcurrencyLimits } from './concurrency.ts';
import {
  createExecutor,
  type ExecutionLimits,
  type Executor,
  type ExecutorOptions,
} from './execute.ts';
import { type HeaderMode, redactionRules } from './redact/header-names.ts';
import { createExaminer, type Examiner } from './response/examiner.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { GuardedConnectOptions } from './transport/connect.ts';
import { undiciTransport } from './transport/undici.ts';

/** What an operator decides about an executor, besides its sandbox. */
export interface ExecutorSettings {
  readonly limits: ExecutionLimits;
  readonly concurrency: ConcurrencyLimits;
  /** Of a `response_schema`, written as JSON. */
  readonly maxSchemaBytes: number;
  readonly headerMode: HeaderMode;
  readonly redactedHeaders: readonly string[];
  readonly shownHeaders: readonly string[];
  /** Certificate authorities in PEM, to trust besides those that Node trusts. */
  readonly upstreamCa: string | undefined;
}

/** The defaults of spec `http-executor.md` section 8. */
export const EXECUTION_DEFAULTS = {
  attemptTimeoutMs: 15_000,
  totalTimeoutMs: 60_000,
  maxRequestBytes: 1024 * 1024,
  maxResponseBytes: 10 * 1024 * 1024,
  maxExecutions: 1_000,
  maxExecutionsPerHost: 256,
  maxWaitMs: 1_000,
} as const satisfies ExecutionLimits & ConcurrencyLimits;

export interface OpenExecutor {
  readonly executor: Executor;
  /** For a self-test. */
  readonly examiner: Examiner;
  /** Drops all connections, and ends the threads that examine bodies. */
  close(): Promise<void>;
}

const NEVER = new AbortController().signal;

/** An executor with its transport and its threads; by default as `EXECUTION_DEFAULTS` say. */
export function openExecutor(
  sandbox: Sandbox,
  settings: Partial<ExecutorSettings> = {},
  surroundings: Partial<Pick<ExecutorOptions, 'clock' | 'draining'>> & GuardedConnectOptions = {},
): OpenExecutor {
  const { limits = EXECUTION_DEFAULTS, concurrency = EXECUTION_DEFAULTS } = settings;
  const { headerMode = 'all', redactedHeaders: masked = [], shownHeaders: shown = [] } = settings;
  const { clock = systemClock, draining = NEVER, ...connect } = surroundings;
  const trust = settings.upstreamCa === undefined ? {} : { ca: settings.upstreamCa };
  const transport = undiciTransport(sandbox, { ...trust, ...connect });
  const examiner = createExaminer(limits.maxResponseBytes, settings.maxSchemaBytes);
  const executor = createExecutor({
    sandbox,
    transport: transport.send,
    preview: transport.preview,
    limits,
    concurrency,
    examiner,
    redaction: redactionRules(headerMode, { masked, shown }),
    draining,
    clock,
  });
  return {
    executor,
    examiner,
    close: async () => {
      await Promise.all([transport.close(), examiner.close()]);
    },
  };
}
