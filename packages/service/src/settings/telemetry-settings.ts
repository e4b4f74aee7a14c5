import type { CleanedEnv } from 'envalid';
import { integer, listOf, oneOf, textAs } from './settings.ts';

const KNOWN_EXPORTERS = ['otlp', 'prometheus', 'none'];

const exporters = listOf((names): readonly string[] => {
  const unknown = names.filter((name) => !KNOWN_EXPORTERS.includes(name));
  if (unknown.length > 0) throw new Error(`must contain only ${KNOWN_EXPORTERS.join(', ')}`);
  return names;
});

const httpUrl = textAs<string>('an http or https URL', (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined,
);

const ratio = textAs<number>('a number from 0 to 1', (text) => {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 && value <= 1 ? value : undefined;
});

const interval = integer(1, 3_600_000);
const protocol = oneOf('http/json')({
  default: 'http/json',
  desc: 'OTLP protocol. Only `http/json` is supported.',
});

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const SPECS = {
  OTEL_SDK_DISABLED: oneOf(
    'true',
    'false',
  )({ default: 'false', desc: '`true` turns off the export of traces and metrics.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({
    default: '',
    desc: 'Collector that receives traces and metrics.',
    example: 'http://collector:4318',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl({
    default: '',
    desc: 'Full URL for traces, if they do not go to `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/traces',
  }),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl({
    default: '',
    desc: 'Full URL for metrics, if they do not go to `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/metrics',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol,
  OTEL_TRACES_EXPORTER: exporters({
    default: [],
    desc: '`otlp` exports traces, and `none` turns the export off. If unset, traces are exported only if an endpoint is set.',
    example: 'otlp',
  }),
  OTEL_METRICS_EXPORTER: exporters({
    default: [],
    desc: '`otlp` pushes metrics to the endpoint, and `none` or `prometheus` turns this off. If unset, metrics are pushed only if an endpoint is set.',
    example: 'otlp',
  }),
  OTEL_TRACES_SAMPLER: oneOf(...SAMPLERS)({
    default: 'parentbased_always_on',
    desc: 'Sampler that selects the traces to export.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio({
    default: 1,
    desc: 'Fraction of traces that a ratio sampler keeps.',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: interval({
    default: 60_000,
    desc: 'Milliseconds between metric exports.',
  }),
};

/** OpenTelemetry treats an empty variable as unset. */
const emptyAsUnset = Object.entries(SPECS).map(([name, spec]) => {
  const parse = (text: string) => (text === '' ? spec.default : spec._parse(text));
  return [name, { ...spec, _parse: Object.assign(parse, spec._parse) }];
});

/** Standard variables that decide which exporters start. The SDK itself reads all other ones. */
export const telemetrySettings = Object.fromEntries(emptyAsUnset) as typeof SPECS;

/** Selects OTLP exports. `GET /metrics` is always available. */
export interface TelemetryConfig {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly sampler: (typeof SAMPLERS)[number];
  readonly sampledRatio: number;
  readonly metricIntervalMs: number;
}

/**
 * Decides whether to export traces and metrics. Settings by precedence: disabled SDK, exporter for
 * traces or for metrics, OTLP endpoint.
 */
export function telemetryConfig(settings: CleanedEnv<typeof SPECS>): TelemetryConfig {
  const enabled = settings.OTEL_SDK_DISABLED === 'false';
  const common = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exported = (named: readonly string[], own: string) =>
    enabled && (named.length === 0 ? (own || common) !== '' : named.includes('otlp'));
  return {
    traces: exported(settings.OTEL_TRACES_EXPORTER, settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: exported(settings.OTEL_METRICS_EXPORTER, settings.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
    sampler: settings.OTEL_TRACES_SAMPLER,
    sampledRatio: settings.OTEL_TRACES_SAMPLER_ARG,
    metricIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
}
