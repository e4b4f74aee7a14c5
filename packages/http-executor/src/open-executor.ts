import { RateLimits, Slots } from './admission.ts';
import { type Clock, systemClock } from './clock.ts';
import { createExecutor } from './execute.ts';
import { EXECUTION_DEFAULTS, type ExecutionLimits } from './limits.ts';
import type { LoadedDestinations } from './loaded-destinations.ts';
import { openUpstreams } from './open-upstreams.ts';
import { redactorFactory } from './redact/redact.ts';
import { type HeaderSettings, redactionRules } from './redact/response-headers.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { createExaminer } from './threads/examiner.ts';
import type { AddressGuardOptions } from './transport/address-guard.ts';
import { UndiciTransport } from './transport/undici.ts';

export interface ExecutorSettings extends HeaderSettings {
  readonly limits: ExecutionLimits;
  /** Maximum size of a `response_schema` in bytes of JSON. */
  readonly maxSchemaBytes: number;
  /** CA certificates in PEM format, trusted in addition to Node's built-in certificates. */
  readonly upstreamCa: string | undefined;
  readonly proxy: string | undefined;
}

interface Surroundings extends AddressGuardOptions {
  readonly clock?: Clock;
  /** Aborted when the process starts to shut down, so that executions start no more attempts. */
  readonly draining?: AbortSignal;
}

const NEVER = new AbortController().signal;

/** Opens an executor with its transport and worker threads. All settings are optional. */
export function openExecutor(
  sandbox: Sandbox,
  settings: Partial<ExecutorSettings> = {},
  surroundings: Surroundings = {},
) {
  const { limits = EXECUTION_DEFAULTS, upstreamCa: ca, proxy } = settings;
  const { clock = systemClock, draining = NEVER, ...connect } = surroundings;
  const transport = new UndiciTransport(sandbox, { ca, proxy, ...connect });
  const examiner = createExaminer(limits.maxResponseBytes, settings.maxSchemaBytes);
  const executor = createExecutor({
    ...limits,
    sandbox,
    transport: transport.send,
    preview: transport.preview,
    slots: new Slots(limits, clock),
    rates: new RateLimits(clock),
    examiner,
    redactorFor: redactorFactory(redactionRules(settings)),
    draining,
    clock,
  });
  return {
    executor,
    examiner,
    /** Applies a loaded destinations file to all new executions. */
    use: (file: LoadedDestinations) => {
      sandbox.upstreams = openUpstreams(file, sandbox.upstreams, {
        transport: transport.send,
        clock,
        attemptTimeoutMs: limits.attemptTimeoutMs,
      });
    },
    close: async () => {
      await Promise.all([transport.close(), examiner.close()]);
    },
  };
}
