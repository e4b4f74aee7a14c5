import { startProcess } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { problemsOf, scrape } from '../support/metrics.ts';
import { type RunningServer, startServer } from '../support/server.ts';

const duration = (method: string, route: string, status: number) =>
  `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`;

const withItems = () =>
  startServer((app) => {
    app.get('/items/:id', ({ params }) => ({ params }));
    app.route({ method: ['PUT', 'DELETE'], url: '/both', handler: () => ({}) });
    app.get('/fails', () => {
      throw new Error('on purpose');
    });
  });

describe('GET /metrics', () => {
  it('is Prometheus text', async () => {
    await using server = await startServer();
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toMatch(/^# HELP \S+ .+\n# TYPE \S+ (counter|gauge|histogram)$/m);
  });

  it.each([
    [
      'the route pattern, not the path',
      'GET',
      '/items/7?secret=1',
      duration('GET', '/items/:id', 200),
    ],
    ['a route of several methods', 'DELETE', '/both', duration('DELETE', '/both', 200)],
    ['an error', 'GET', '/fails', duration('GET', '/fails', 500)],
    ['an unknown path', 'GET', '/raw-path-of-the-caller', duration('GET', 'other', 404)],
    ['a wrong method', 'DELETE', '/fails', duration('DELETE', 'other', 405)],
  ])('counts a request by %s', async (_case, method, path, series) => {
    await using server = await withItems();
    for (let sent = 0; sent < 2; sent++) await fetch(server.url + path, { method });
    const samples = await scrape(server.url);
    expect(samples.get(series)).toBe(2);
    expect([...samples.keys()].filter((key) => /secret|raw-path|items\/7/.test(key))).toEqual([]);
  });

  it('shows process metrics and the version', async () => {
    await using program = startProcess(new URL('../support/mishaps.ts', import.meta.url));
    const [url = ''] = await program.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const samples = await scrape(url);
    const startedAgo = Date.now() / 1_000 - (samples.get('process_start_time_seconds') ?? 0);
    expect(Math.abs(startedAgo)).toBeLessThan(60);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(samples.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(samples.get('nodejs_eventloop_lag_max_seconds')).toBeDefined();
    expect(
      samples.get(`gatehouse_build_info{version="1.2.3",node="${process.versions.node}"}`),
    ).toBe(1);
  });
});

describe('problems_total', () => {
  it('has every code from the start, at zero', async () => {
    await using server = await startServer();
    expect(await problemsOf(server.url)).toEqual({});
    expect((await scrape(server.url)).get('problems_total{code="Overloaded"}')).toBe(0);
  });

  it('counts each refusal by its code', async () => {
    await using server = await withItems();
    await fetch(`${server.url}/nowhere`);
    await fetch(`${server.url}/fails`);
    await fetch(`${server.url}/fails`);
    expect(await problemsOf(server.url)).toEqual({
      'problems_total{code="NotFound"}': 1,
      'problems_total{code="InternalError"}': 2,
    });
  });
});

describe('http_server_active_requests', () => {
  const active = async ({ url }: RunningServer) =>
    (await scrape(url)).get('http_server_active_requests');

  it('counts the scrape itself and other requests in flight', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<object>();
    await using server = await startServer((app) => {
      app.get('/waits', () => gate);
    });
    expect(await active(server)).toBe(1);
    const waiting = [fetch(`${server.url}/waits`), fetch(`${server.url}/waits`)];
    await expect.poll(() => active(server)).toBe(3);
    open({});
    await Promise.all(waiting);
    await expect.poll(() => active(server)).toBe(1);
  });

  it('goes down when a caller disconnects before the reply', async () => {
    await using server = await startServer((app) => {
      app.get('/never', (_request, reply) => void reply.hijack());
    });
    const controller = new AbortController();
    const call = fetch(`${server.url}/never`, { signal: controller.signal }).catch(() => {});
    await expect.poll(() => active(server)).toBe(2);
    controller.abort();
    await call;
    await expect.poll(() => active(server)).toBe(1);
    const brokenOff =
      'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/never"}';
    expect((await scrape(server.url)).get(brokenOff)).toBe(1);
  });
});
