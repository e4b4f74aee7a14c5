import { join } from 'node:path';
import { findProgram, shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { alertExpressions, dashboardExpressions, namesIn } from './support/expressions.ts';
import { CONFIG_FOLDER, startPrometheus } from './support/prometheus.ts';
import { promtool } from './support/promtool.ts';
import { startStack } from './support/stack.ts';

const hasPromtool = findProgram('promtool') !== undefined;
const hasPrometheus = findProgram('prometheus') !== undefined;
if (!hasPromtool || !hasPrometheus)
  console.warn('LEFT OUT: Prometheus or promtool is not installed; `apt-get install prometheus`.');

const stack = shared(startStack);

const metricsOf = async (service: 'policy' | 'executor') =>
  (await fetch(`${stack()[service]}/metrics`)).text();

describe.skipIf(!hasPromtool)('promtool', () => {
  it.each(['policy', 'executor'] as const)(
    'finds nothing wrong with the metrics of %s',
    async (service) => {
      // Leave out gauges from prom-client that are named like counters (`…_total`), because
      // promtool reports them.
      const own = (await metricsOf(service)).replaceAll(/^.*\bnodejs_active_.*\n/gm, '');
      expect(promtool(['check', 'metrics'], own)).toEqual({
        status: 0,
        output: '',
      });
    },
  );

  it.each([
    ['config', 'prometheus.yml'],
    ['rules', 'alerts.yml'],
  ])('accepts the %s in %s', (what, file) => {
    const { status, output } = promtool(['check', what, join(CONFIG_FOLDER, file)]);
    expect(status, output).toBe(0);
    expect(output).not.toMatch(/FAILED|warning/i);
  });

  it('sees each alert fire exactly when it should', () => {
    const { status, output } = promtool(['test', 'rules', join(CONFIG_FOLDER, 'alerts.test.yml')]);
    expect(status, output).toBe(0);
  });
});

describe.skipIf(!hasPrometheus)('a real Prometheus', () => {
  it('scrapes both services and evaluates every expression', {
    timeout: 60_000,
  }, async () => {
    await using prometheus = await startPrometheus(stack());
    const up = async () =>
      (await prometheus.query('up == 1')).map(({ metric }) => metric.job).sort();
    await expect.poll(up, { timeout: 30_000 }).toEqual(['gatehouse-executor', 'gatehouse-policy']);

    const [decisions] = await prometheus.query(
      'policy_decisions_total{decision="require_approval"}',
    );
    expect(decisions?.value[1]).toBe('1');
    const [profile] = await prometheus.query(
      'count by (profile, version, digest) (policy_profile_info)',
    );
    expect(profile).toMatchObject({
      metric: { profile: 'default', version: '1', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      value: [expect.any(Number), '1'],
    });
    const [retries] = await prometheus.query('executor_http_retry_total');
    expect(retries).toMatchObject({
      metric: {
        job: 'gatehouse-executor',
        method: 'GET',
        host: '127.0.0.1',
        classification: 'connect',
      },
      value: [expect.any(Number), '2'],
    });
    for (const expression of [...dashboardExpressions(), ...alertExpressions()]) {
      expect(
        await prometheus.get(`query?query=${encodeURIComponent(expression)}`),
        expression,
      ).toBeDefined();
    }
    const healthy = async () => {
      const data = (await prometheus.get('rules')) as
        | { groups: { rules: { health: string }[] }[] }
        | undefined;
      return new Set(data?.groups.flatMap(({ rules }) => rules.map(({ health }) => health)));
    };
    await expect.poll(healthy, { timeout: 15_000 }).toEqual(new Set(['ok']));
  });
});

/** Metrics and labels that Prometheus itself adds. */
const OWN_METRICS = ['up'];
const OWN_LABELS = ['job', 'instance'];

describe('the dashboard and the alerts', () => {
  it.each([
    ['dashboard', dashboardExpressions(), 29],
    ['alerts', alertExpressions(), 22],
  ])('use only metrics and labels of the services: %s', async (_what, expressions, atLeast) => {
    expect(expressions.length).toBeGreaterThanOrEqual(atLeast);
    const samples = `${await metricsOf('policy')}\n${await metricsOf('executor')}`;
    const known = new Set([
      ...OWN_METRICS,
      ...[...samples.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name),
    ]);
    const labels = new Set([
      ...OWN_LABELS,
      ...[...samples.matchAll(/[{,](\w+)="/g)].map(([, name]) => name),
    ]);
    for (const expression of expressions) {
      const used = namesIn(expression);
      expect(
        used.metrics.filter((name) => !known.has(name)),
        expression,
      ).toEqual([]);
      expect(
        used.labels.filter((name) => !labels.has(name)),
        expression,
      ).toEqual([]);
    }
  });
});
