import { describe, expect, it } from 'vitest';
import { readSettings, telemetryConfig, telemetrySettings } from '../src/index.ts';

const read = (env: Record<string, string>) => telemetryConfig(readSettings(env, telemetrySettings));

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

describe('OTEL_* variables', () => {
  it.each([
    ['nothing is set', {}, false, false],
    ['an endpoint for both', ENDPOINT, true, true],
    [
      'an endpoint for traces',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://localhost/v1/traces' },
      true,
      false,
    ],
    [
      'an endpoint for metrics',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://localhost/v1/metrics' },
      false,
      true,
    ],
    [
      'exporters without an endpoint',
      { OTEL_TRACES_EXPORTER: 'otlp', OTEL_METRICS_EXPORTER: 'otlp' },
      true,
      true,
    ],
    ['an endpoint, no traces', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, false, true],
    [
      'an endpoint, metrics for Prometheus',
      { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'prometheus' },
      true,
      false,
    ],
    [
      'empty values, which are unset',
      { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '' },
      false,
      false,
    ],
    ['an endpoint, empty exporters', { ...ENDPOINT, OTEL_TRACES_EXPORTER: '' }, true, true],
    ['several exporters', { OTEL_METRICS_EXPORTER: 'prometheus, otlp' }, false, true],
    [
      'the SDK disabled',
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' },
      false,
      false,
    ],
  ])('%s', (_what, env, traces, metrics) => {
    expect(read(env)).toMatchObject({ traces, metrics });
  });

  it('set the sampling and the metric export interval', () => {
    const env = {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_METRIC_EXPORT_INTERVAL: '5000',
    };
    const read_ = {
      sampler: 'parentbased_traceidratio',
      sampledRatio: 0.25,
      metricIntervalMs: 5_000,
    };
    expect(read(env)).toMatchObject(read_);
    expect(read({})).toMatchObject({
      sampler: 'parentbased_always_on',
      sampledRatio: 1,
      metricIntervalMs: 60_000,
    });
  });
});

describe('a value that cannot be used', () => {
  it.each([
    ['OTEL_SDK_DISABLED', 'yes', 'must be one of true, false'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'ftp://collector', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/json'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must contain only otlp, prometheus, none'],
    ['OTEL_METRICS_EXPORTER', 'otlp,console', 'must contain only otlp, prometheus, none'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0', 'must be a whole number from 1'],
  ])('%s=%s is named with what is accepted', (name, value, accepted) => {
    expect(() => read({ [name]: value })).toThrow(`${name}=${JSON.stringify(value)}: ${accepted}`);
  });
});

it.each(Object.keys(telemetrySettings))('%s is unset when it is empty', (name) => {
  expect(readSettings({ [name]: '' }, telemetrySettings)).toEqual(
    readSettings({}, telemetrySettings),
  );
});
