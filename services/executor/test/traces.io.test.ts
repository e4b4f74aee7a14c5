import {
  type Collector,
  freePort,
  type Span,
  startCollector,
  startUpstream,
} from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type ServiceProcess, startProcess } from './support/process.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const caller = { headers: { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'vendor=1' } };

const SERVER = 2;
const CLIENT = 3;
const ERROR = 2;

/** Stops the process with SIGTERM, so that it exports all buffered data. */
async function drain(service: ServiceProcess): Promise<void> {
  service.signal('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
}

function byKind(collector: Collector): { server: Span; clients: Span[] } {
  const spans = collector.spans();
  const [server, ...others] = spans.filter(({ kind }) => kind === SERVER);
  if (server === undefined || others.length > 0)
    throw new Error(`expected one server span: ${collector.text()}`);
  return { server, clients: spans.filter(({ kind }) => kind === CLIENT) };
}

describe('one execution with two retries', () => {
  it('shares one trace with its caller and its upstream', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream([{ status: 503 }, { status: 429 }, {}]);
    await using service = await startProcess({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'my-executor',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      HTTP_EXECUTOR_API_TOKENS: 'planner:a-token-of-the-planner',
    });
    const url = `${upstream.origin}/orders?token=secret-query`;
    const headers = { authorization: 'Bearer secret-header' };
    const authorization = 'Bearer a-token-of-the-planner';
    await service.execute(
      { method: 'PUT', url, headers, body: 'secret-body' },
      { headers: { ...caller.headers, authorization, 'x-request-id': 'r-1' } },
    );
    await drain(service);

    expect([...collector.paths]).toEqual(['/v1/traces']);
    const { server, clients } = byKind(collector);
    expect(server).toMatchObject({ name: 'POST /execute', traceId: TRACE, parentSpanId: CALLER });
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/execute',
      'http.response.status_code': 200,
      'url.path': '/execute',
      'url.scheme': 'http',
      request_id: 'r-1',
      caller: 'planner',
      'executor.outcome': 'success',
      'executor.attempts': 3,
    });
    expect(server.resource).toMatchObject({
      'service.name': 'my-executor',
      'deployment.environment.name': 'test',
    });
    const retry = { classification: 'status', host: new URL(url).host, method: 'PUT' };
    expect(server.events).toEqual([
      {
        name: 'executor_http.retry',
        attributes: { ...retry, attempt: 1, status: 503, delay_ms: 200 },
      },
      {
        name: 'executor_http.retry',
        attributes: { ...retry, attempt: 2, status: 429, delay_ms: 400 },
      },
    ]);

    const attempt = {
      'http.request.method': 'PUT',
      'server.address': '127.0.0.1',
      'server.port': upstream.port,
      'url.full': `${upstream.origin}/orders`,
    };
    expect(clients.map(({ attributes }) => attributes)).toEqual([
      { ...attempt, 'http.response.status_code': 503, 'error.type': '503' },
      {
        ...attempt,
        'http.response.status_code': 429,
        'error.type': '429',
        'http.request.resend_count': 1,
      },
      { ...attempt, 'http.response.status_code': 200, 'http.request.resend_count': 2 },
    ]);
    expect(clients.map(({ status }) => status.code)).toEqual([ERROR, ERROR, 0]);
    for (const span of clients)
      expect(span).toMatchObject({ name: 'PUT', traceId: TRACE, parentSpanId: server.spanId });

    const received = upstream.requests.map(({ headers: { traceparent, tracestate } }) => [
      traceparent,
      tracestate,
    ]);
    expect(received).toEqual(clients.map(({ spanId }) => [`00-${TRACE}-${spanId}-01`, 'vendor=1']));
    expect(collector.text()).not.toMatch(/secret-|a-token-/);
    const lines = service.lines().filter(({ request_id }) => request_id === 'r-1');
    expect(lines.map(({ msg, trace_id }) => [msg, trace_id])).toEqual([
      ['executor_http.retry', TRACE],
      ['executor_http.retry', TRACE],
      ['execution', TRACE],
    ]);
  });

  it('starts a new trace if the caller has none', async () => {
    await using collector = await startCollector();
    await using service = await startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await service.failure({ method: 'GET', url: `http://127.0.0.1:${await freePort()}/` });
    await drain(service);
    const { server, clients } = byKind(collector);
    expect(server.parentSpanId ?? '').toBe('');
    expect(service.lines()).toContainEqual(
      expect.objectContaining({ msg: 'execution', trace_id: server.traceId }),
    );
    expect(server).toMatchObject({
      status: { code: ERROR },
      attributes: { 'error.type': 'RetriesExhausted' },
    });
    expect(server.resource).toMatchObject({
      'service.name': 'gatehouse-executor',
      'service.version': manifest.version,
    });
    expect(clients.map(({ attributes }) => attributes['error.type'])).toEqual([
      'connect',
      'connect',
      'connect',
    ]);
  });
});

describe('traces', () => {
  it('do not replace the traceparent that an action sets', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream();
    await using service = await startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await service.execute(
      { method: 'GET', url: upstream.origin, headers: { traceparent } },
      caller,
    );
    expect(upstream.requests[0]?.headers).toMatchObject({ traceparent });
    expect(upstream.requests[0]?.headers).not.toHaveProperty('tracestate');
  });

  it('show that the caller disconnected, without an error in the log', async () => {
    await using collector = await startCollector();
    const controller = new AbortController();
    await using upstream = await startUpstream(() => controller.abort());
    await using service = await startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { signal } = controller;
    await service.execute({ method: 'GET', url: upstream.origin }, { signal }).catch(() => {});
    await expect.poll(() => service.output).toContain('execution cancelled');
    await drain(service);
    const { server, clients } = byKind(collector);
    for (const span of [server, ...clients])
      expect(span.attributes['error.type']).toBe('cancelled');
    expect(service.output).not.toContain('opentelemetry');
  });

  it('are sampled as OTEL_TRACES_SAMPLER says, and the upstream learns the decision', async () => {
    await using collector = await startCollector();
    await using upstream = await startUpstream();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' };
    await using service = await startProcess(env);
    await service.execute({ method: 'GET', url: upstream.origin }, caller);
    await drain(service);
    expect(upstream.requests[0]?.headers.traceparent).toMatch(
      new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`),
    );
    expect(collector.spans()).toEqual([]);
  });

  it('do not stop the service if the collector is down or refuses them, as the log says', async () => {
    await using upstream = await startUpstream({ status: 404 });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: upstream.origin, OTEL_BSP_SCHEDULE_DELAY: '1' };
    await using refused = await startProcess(env);
    await refused.failure({ method: 'GET', url: upstream.origin });
    await expect.poll(() => refused.output).toContain('"traces were not exported: OTLPExporterErr');
    env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
    await using service = await startProcess(env);
    await service.failure({ method: 'GET', url: upstream.origin });
    await drain(service);
    expect(service.output).toContain('the final export at shutdown did not finish within 3000 ms');
  });
});
