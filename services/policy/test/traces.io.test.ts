import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { spawnPolicy } from './support/policy-process.ts';
import { postCheck } from './support/policy-server.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

type Span = { attributes: { key: string; value: Record<string, unknown> }[] } & Record<
  string,
  unknown
>;

/** Receives OTLP over HTTP as a collector does; the spans as OTLP/JSON has them. */
async function startCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    type Export = { resourceSpans?: { scopeSpans: { spans: Span[] }[] }[] };
    const { resourceSpans = [] } = (await json(request)) as Export;
    spans.push(
      ...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('each check is a span in the trace of its caller, and nothing else is one', async () => {
  await using collector = await startCollector();
  await using policy = spawnPolicy({
    POLICY_BIND_ADDR: '127.0.0.1:0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const url = `http://127.0.0.1:${await policy.listening()}`;
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  await postCheck(url, JSON.stringify({ legal: { flags: ['prohibited_content'] } }), headers);
  await postCheck(url, '{"spend":"secret-body"}', headers);
  for (const path of ['/healthz', '/metrics', '/nowhere']) await fetch(url + path, { headers });
  policy.child.kill('SIGTERM');
  expect(await policy.ended).toEqual({ code: 0, signal: null });

  const spans = collector.spans.map(({ attributes, ...span }) => ({
    ...span,
    attributes: Object.fromEntries(
      attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    ),
  }));
  const common = { name: 'POST /policy/check', kind: 2, traceId: TRACE, parentSpanId: CALLER };
  const request = {
    'http.request.method': 'POST',
    'http.route': '/policy/check',
    'url.path': '/policy/check',
    'url.scheme': 'http',
  };
  expect(spans).toEqual([
    expect.objectContaining({
      ...common,
      attributes: { ...request, 'policy.decision': 'deny', 'http.response.status_code': 200 },
    }),
    expect.objectContaining({
      ...common,
      attributes: { ...request, 'http.response.status_code': 400 },
    }),
  ]);
});
