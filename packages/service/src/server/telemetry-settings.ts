import type { CleanedEnv } from 'envalid';
import type { TraceConfig } from '../observe/trace-requests.ts';
import { oneOf, textAs } from './settings.ts';

const httpUrl = textAs<string>('an http or https URL', (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined,
);

const ratio = textAs<number>('a number from 0 to 1', (text) => {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 && value <= 1 ? value : undefined;
});

const onOrOff = oneOf('true', 'false');
const exporter = oneOf('otlp', 'none');

const sampler = oneOf(
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
);

const protocol = oneOf('http/json')({
  default: 'http/json',
  desc: 'OTLP protocol. Only `http/json` is supported.',
});

const SPECS = {
  OTEL_SDK_DISABLED: onOrOff({ default: 'false', desc: '`true` turns off the export of traces.' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({
    default: '',
    desc: 'Collector that receives traces. Without an endpoint, no traces are exported.',
    example: 'http://collector:4318',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl({
    default: '',
    desc: 'Full URL to which traces are sent. Overrides `OTEL_EXPORTER_OTLP_ENDPOINT`.',
    example: 'http://collector:4318/v1/traces',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_EXPORTER: exporter({
    default: 'otlp',
    desc: '`none` turns off the export of traces.',
  }),
  OTEL_TRACES_SAMPLER: sampler({
    default: 'parentbased_always_on',
    desc: 'Name of the sampler that decides which traces are exported.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio({
    default: 1,
    desc: 'For a ratio sampler, the fraction of traces to keep, from 0 to 1.',
  }),
};

/** OpenTelemetry treats an empty variable as unset. */
const emptyAsUnset = Object.entries(SPECS).map(([name, spec]) => {
  const parse = (text: string) => (text === '' ? spec.default : spec._parse(text));
  return [name, { ...spec, _parse: Object.assign(parse, spec._parse) }];
});

/** OpenTelemetry variables that this service checks. The SDK also reads other `OTEL_` variables. */
export const telemetrySettings = Object.fromEntries(emptyAsUnset) as typeof SPECS;

export function traceConfig(settings: CleanedEnv<typeof SPECS>): TraceConfig | undefined {
  const endpoint =
    settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none';
  if (isOff || endpoint === '') return undefined;
  return { sampler: settings.OTEL_TRACES_SAMPLER, sampledRatio: settings.OTEL_TRACES_SAMPLER_ARG };
}
