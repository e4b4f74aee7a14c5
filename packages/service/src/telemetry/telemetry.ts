import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { TelemetryConfig } from '../settings/telemetry-settings.ts';
import type { Tracing } from './trace-requests.ts';

export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
}

export interface Telemetry {
  /** Registry whose metrics `GET /metrics` returns and OTLP exports. */
  readonly registry: Registry;
  /** Present if traces are exported. */
  readonly tracing?: Tracing;
  /** Exports the remaining data. */
  readonly close: () => Promise<void>;
}

/** Returns telemetry without exporters, so that only `GET /metrics` shows it. */
export function localTelemetry(): Telemetry {
  return { registry: new Registry(), close: async () => {} };
}

/** Starts collecting process metrics, then loads and starts the exporters enabled in `config`. */
export async function startTelemetry(
  service: ServiceIdentity,
  config: TelemetryConfig | undefined,
  logger: Logger,
): Promise<Telemetry> {
  const local = localTelemetry();
  measureProcess(local.registry, service.version);
  if (config === undefined || (!config.traces && !config.metrics)) return local;
  const { startExports } = await import('./otlp.ts');
  const { registry } = local;
  return { ...local, ...(await startExports(service, config, { registry, logger })) };
}

function measureProcess(registry: Registry, version: string): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'Always 1. The labels show the running version.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
}
