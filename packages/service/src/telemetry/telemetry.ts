import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { TelemetryConfig } from '../settings/telemetry-settings.ts';
import type { Tracing } from './trace-requests.ts';

export interface ServiceIdentity {
  readonly name: string;
  readonly version: string;
}

export interface Telemetry {
  /** Holds every metric of this service; `GET /metrics` and OTLP read it. */
  readonly registry: Registry;
  /** Present when the settings ask for traces. */
  readonly tracing?: Tracing;
  /** Exports what is left. */
  readonly close: () => Promise<void>;
}

/** `GET /metrics` and no export. */
export function localTelemetry(): Telemetry {
  return { registry: new Registry(), close: async () => {} };
}

/** With metrics of the process, and the exports that `config` asks for; their code loads then. */
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
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
}
