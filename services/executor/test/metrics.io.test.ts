import { type Script, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { type Executor, startExecutor } from './support/executor.ts';

/** Nonzero samples of the executor, without buckets and sums. */
async function samplesOf({ url }: Pick<Executor, 'url'>): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => /^executor_/.test(line) && !/_bucket|_sum| 0$/.test(line));
}

const start = () =>
  startExecutor({
    HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1',
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '300',
  });

const attempts = (labels: string, count: number) =>
  `executor_http_attempts_total{${labels}} ${count}`;
const retries = (labels: string, count: number) => `executor_http_retry_total{${labels}} ${count}`;
const durations = (labels: string, count: number) =>
  `executor_http_attempt_duration_seconds_count{${labels}} ${count}`;
const executions = (labels: string) => `executor_executions_total{${labels}} 1`;

const LOCAL = 'host="127.0.0.1"';

const CASES: [what: string, method: string, script: Script, samples: string[]][] = [
  [
    'a success at once',
    'GET',
    {},
    [
      attempts(`method="GET",${LOCAL},classification="answered",status_class="2xx"`, 1),
      durations(`method="GET",${LOCAL}`, 1),
      executions('outcome="success"'),
    ],
  ],
  [
    'a success after a 429 and a 503',
    'PUT',
    [{ status: 429 }, { status: 503 }, {}],
    [
      attempts(`method="PUT",${LOCAL},classification="status",status_class="4xx"`, 1),
      attempts(`method="PUT",${LOCAL},classification="status",status_class="5xx"`, 1),
      attempts(`method="PUT",${LOCAL},classification="answered",status_class="2xx"`, 1),
      retries(`method="PUT",${LOCAL},classification="status",status_class="4xx"`, 1),
      retries(`method="PUT",${LOCAL},classification="status",status_class="5xx"`, 1),
      durations(`method="PUT",${LOCAL}`, 3),
      executions('outcome="success"'),
    ],
  ],
  [
    'a failure that is not retried',
    'POST',
    { status: 500 },
    [
      attempts(`method="POST",${LOCAL},classification="status",status_class="5xx"`, 1),
      durations(`method="POST",${LOCAL}`, 1),
      executions('outcome="failure",error="HttpFailure"'),
    ],
  ],
  [
    'timeouts until the attempts are used up',
    'GET',
    () => {},
    [
      attempts(`method="GET",${LOCAL},classification="timeout"`, 3),
      retries(`method="GET",${LOCAL},classification="timeout"`, 2),
      durations(`method="GET",${LOCAL}`, 3),
      executions('outcome="failure",error="RetriesExhausted"'),
    ],
  ],
];

describe('the metrics of executions', () => {
  it.each(CASES)('count %s', async (_what, method, script, samples) => {
    await using executor = await start();
    await using upstream = await startUpstream(script);
    await executor.outcome({ method, url: upstream.origin });
    expect((await samplesOf(executor)).sort()).toEqual(samples.sort());
  });

  it('count a refusal as a problem, without the name of a host that is not allowed', async () => {
    await using executor = await start();
    await executor.problem({ method: 'GET', url: 'http://elsewhere.example/' });
    expect(await samplesOf(executor)).toEqual([]);
    await executor.problem({ method: 'GET', url: executor.url });
    const text = await (await fetch(`${executor.url}/metrics`)).text();
    expect(text).toContain('problems_total{code="HostNotAllowed"} 1');
    expect(text).toContain('problems_total{code="AddressNotAllowed"} 1');
    expect(text).toContain(attempts('method="GET",host="127.0.0.1",classification="refused"', 1));
    expect(text).not.toContain('elsewhere');
  });

  it.each([
    ['executor_idempotency_total', 'result="unknown"'],
    ['executor_decisions_refused_total', 'code="DecisionInvalid"'],
  ])('count from 0, so that Prometheus sees the first increase of %s', async (name, label) => {
    await using executor = await start();
    const text = await (await fetch(`${executor.url}/metrics`)).text();
    expect(text).toContain(`${name}{${label}} 0\n`);
  });

  it('count redacted echoes of credentials', async () => {
    await using executor = await start();
    await using upstream = await startUpstream({ body: ['Bearer secret-token', 'secret-token'] });
    const headers = { authorization: 'Bearer secret-token' };
    const { redactions } = await executor.success({ method: 'GET', url: upstream.origin, headers });
    expect(redactions).toBeGreaterThan(0);
    expect(await samplesOf(executor)).toContain(`executor_redactions_total ${redactions}`);
  });

  it('count an execution as cancelled if its caller disconnects, and do not count a dry run', async () => {
    await using executor = await start();
    await using upstream = await startUpstream(() => controller.abort());
    const controller = new AbortController();
    await executor.dryRun({ method: 'GET', url: upstream.origin });
    expect(await samplesOf(executor)).toEqual([]);
    await executor
      .execute({ method: 'GET', url: upstream.origin }, { signal: controller.signal })
      .catch(() => {});
    await expect.poll(() => samplesOf(executor)).toContain(executions('outcome="cancelled"'));
    expect(await samplesOf(executor)).toContain(
      attempts(`method="GET",${LOCAL},classification="cancelled"`, 1),
    );
  });
});
