import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { executionMetrics } from '../src/execution-telemetry.ts';

it('the metrics label hosts by allowlist entry', async () => {
  const registry = new Registry();
  const { attempted } = executionMetrics(registry);
  for (const [listedHost, host] of [
    ['*.test', 'api.test'],
    ['*.test', 'other.test:8080'],
    ['localhost:81', 'localhost:81'],
  ] as const)
    attempted(
      { attempt: 1, method: 'GET', url: new URL(`http://${host}/path?query`), listedHost },
      { classification: 'answered', status: 200, bytes: 1, duration_ms: 1 },
    );
  const counted = (await registry.metrics()).match(/attempts_total\{.*/g) ?? [];
  expect(counted.map((line) => line.replace(/^.*host="([^"]*)".* (\d+)$/, '$1 $2'))).toEqual([
    ...['*.test 2', 'localhost:81 1'],
  ]);
});
