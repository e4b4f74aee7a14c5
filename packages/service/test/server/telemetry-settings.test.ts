import { describe, expect, it } from 'vitest';
import { readSettings, telemetrySettings, traceConfig } from '../../src/index.ts';

const read = (env: Record<string, string>) => traceConfig(readSettings(env, telemetrySettings));

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
const OWN_ENDPOINT = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://localhost/v1/traces' };

describe('traces are exported', () => {
  it.each<[what: string, env: Record<string, string>, exported: boolean]>([
    ['nothing is set', {}, false],
    ['an endpoint', ENDPOINT, true],
    ['an endpoint for traces', OWN_ENDPOINT, true],
    ['an exporter without an endpoint', { OTEL_TRACES_EXPORTER: 'otlp' }, false],
    ['an endpoint, no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false],
    ['an endpoint, an empty exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: '' }, true],
    ['the SDK disabled', { ...OWN_ENDPOINT, OTEL_SDK_DISABLED: 'true' }, false],
  ])('%s', (_what, env, exported) => {
    expect(read(env) !== undefined).toBe(exported);
  });

  it('as the sampler says', () => {
    const sampled = {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(read({ ...ENDPOINT, ...sampled })).toEqual({
      sampler: 'parentbased_traceidratio',
      sampledRatio: 0.25,
    });
    expect(read(ENDPOINT)).toEqual({ sampler: 'parentbased_always_on', sampledRatio: 1 });
  });
});

it.each([
  ['OTEL_SDK_DISABLED', 'yes', 'must be one of true, false'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'collector', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/json'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be one of otlp, none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
  ['OTEL_TRACES_SAMPLER_ARG', '-0.1', 'must be a number from 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
])('%s=%s is named with what is accepted', (name, value, accepted) => {
  expect(() => read({ [name]: value })).toThrow(`${name}=${JSON.stringify(value)}: ${accepted}`);
});

it.each(Object.keys(telemetrySettings))('%s is unset when it is empty', (name) => {
  expect(readSettings({ [name]: '' }, telemetrySettings)).toEqual(
    readSettings({}, telemetrySettings),
  );
});
