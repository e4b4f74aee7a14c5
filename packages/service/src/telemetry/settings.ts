import { makeExactValidator } from 'envalid';
import { integer, listOf, oneOf } from '../settings.ts';

const EXPORTERS = ['otlp', 'prometheus', 'none'];

/** As OpenTelemetry has it, empty is unset, here and below. */
const exporters = listOf((names) => {
  const unknown = names.filter((name) => !EXPORTERS.includes(name));
  if (unknown.length > 0) throw new Error(`must list ${EXPORTERS.join(', ')}`);
  return names;
});

const httpUrl = makeExactValidator<string>((text) => {
  if (text === '') return text;
  const { protocol } = URL.parse(text) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error('must be an http or https URL');
  return text;
});

const ratio = makeExactValidator<number>((text) => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new Error('must be a number from 0 to 1');
  return value;
});

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * The standard OpenTelemetry variables that decide what is started. Its exporters and
 * resource detectors read the rest themselves: headers, timeouts, compression and
 * certificates of OTLP, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
 */
export const telemetrySettings = {
  OTEL_SDK_DISABLED: oneOf('true', 'false')({ default: 'false' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({ default: '' }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl({ default: '' }),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl({ default: '' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf('http/json')({ default: 'http/json' }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf('http/json')({ default: 'http/json' }),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: oneOf('http/json')({ default: 'http/json' }),
  OTEL_TRACES_EXPORTER: exporters({ default: [] }),
  OTEL_METRICS_EXPORTER: exporters({ default: [] }),
  OTEL_TRACES_SAMPLER: oneOf(...SAMPLERS)({ default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: ratio({ default: 1 }),
  OTEL_METRIC_EXPORT_INTERVAL: integer(1, 3_600_000)({ default: 60_000 }),
};

interface TelemetryEnvironment {
  readonly OTEL_SDK_DISABLED: 'true' | 'false';
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: string;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: string;
  readonly OTEL_TRACES_EXPORTER: readonly string[];
  readonly OTEL_METRICS_EXPORTER: readonly string[];
  readonly OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number];
  readonly OTEL_TRACES_SAMPLER_ARG: number;
  readonly OTEL_METRIC_EXPORT_INTERVAL: number;
}

/** What leaves by OTLP, besides the metrics at `GET /metrics`, which are always there. */
export interface TelemetryConfig {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly sampledRatio: number;
  readonly metricIntervalMs: number;
}

/**
 * In this order: the SDK is disabled; an exporter is named for the signal; an OTLP
 * endpoint is set.
 */
export function telemetryConfig(settings: TelemetryEnvironment): TelemetryConfig {
  const enabled = settings.OTEL_SDK_DISABLED === 'false';
  const common = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exported = (named: readonly string[], endpoint: string) =>
    enabled && (named.length === 0 ? endpoint !== '' || common !== '' : named.includes('otlp'));
  return {
    traces: exported(settings.OTEL_TRACES_EXPORTER, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: exported(settings.OTEL_METRICS_EXPORTER, settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
    sampler: settings.OTEL_TRACES_SAMPLER,
    sampledRatio: settings.OTEL_TRACES_SAMPLER_ARG,
    metricIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
}
