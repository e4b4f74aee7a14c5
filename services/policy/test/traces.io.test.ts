import { startCollector, startService } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { postCheck } from './support/policy-server.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

it('only checks have spans, each in the trace of its caller', async () => {
  await using collector = await startCollector();
  await using policy = await startService('policy', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const { url } = policy;
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'r-1' };
  await postCheck(url, JSON.stringify({ legal: { flags: ['prohibited_content'] } }), headers);
  await postCheck(url, '{"spend":"secret-body"}', headers);
  for (const path of ['/healthz', '/metrics', '/nowhere']) await fetch(url + path, { headers });
  expect(await policy.stop()).toEqual({ code: 0, signal: null });

  const common = { name: 'POST /policy/check', kind: 2, traceId: TRACE, parentSpanId: CALLER };
  const request = {
    'http.request.method': 'POST',
    'http.route': '/policy/check',
    'url.path': '/policy/check',
    'url.scheme': 'http',
    request_id: 'r-1',
  };
  expect(collector.spans()).toEqual([
    expect.objectContaining({
      ...common,
      attributes: { ...request, 'policy.decision': 'deny', 'http.response.status_code': 200 },
    }),
    expect.objectContaining({
      ...common,
      attributes: { ...request, code: 'InvalidRequest', 'http.response.status_code': 400 },
    }),
  ]);
  const traced = policy.lines().filter(({ trace_id }) => trace_id === TRACE);
  expect(traced.map(({ msg, path }) => [msg, path])).toEqual([
    ['check', '/policy/check'],
    ['request', '/policy/check'],
    ['request', '/nowhere'],
  ]);
});
