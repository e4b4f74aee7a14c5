import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ServiceIdentity } from './otlp/resource.ts';
import type { TelemetryConfig } from './settings.ts';
import type { Tracing } from './tracing.ts';

export interface Telemetry {
  /** Holds every metric of this service; `GET /metrics` and OTLP read it. */
  readonly registry: Registry;
  /** The service's. */
  readonly version: string;
  /** Present when the settings ask for traces. */
  readonly tracing?: Tracing;
  /** Exports what is left. */
  readonly close: () => Promise<void>;
}

/** `GET /metrics` and no export. */
export function localTelemetry(version = 'unknown'): Telemetry {
  return { registry: new Registry(), version, close: async () => {} };
}

/** With the exports that `config` asks for; their code loads only then. */
export async function startTelemetry(
  service: ServiceIdentity,
  config: TelemetryConfig | undefined,
  logger: Logger,
): Promise<Telemetry> {
  const local = localTelemetry(service.version);
  if (config === undefined || (!config.traces && !config.metrics)) return local;
  const { startExports } = await import('./otlp/start-exports.ts');
  const { registry } = local;
  return { ...local, ...(await startExports(service, config, { registry, logger })) };
}
