import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ServiceIdentity, TraceConfig, Tracing } from './trace-requests.ts';

export interface Telemetry {
  /** Registry of the metrics that `GET /metrics` returns. */
  readonly registry: Registry;
  readonly tracing?: Tracing;
  readonly close: () => Promise<void>;
}

/** Returns telemetry that exports no traces. */
export function localTelemetry(): Telemetry {
  return { registry: new Registry(), close: async () => {} };
}

/** Starts collecting process metrics and, if `config` is present, exporting traces. */
export async function startTelemetry(
  service: ServiceIdentity,
  config: TraceConfig | undefined,
  logger: Logger,
): Promise<Telemetry> {
  const local = localTelemetry();
  const { registry } = local;
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'Always 1. The labels show the running version.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: service.version, node: process.versions.node }, 1);
  if (config === undefined) return local;

  const { exportTraces } = await import('./otlp-traces.ts');
  return { ...local, ...exportTraces(service, config, logger) };
}
