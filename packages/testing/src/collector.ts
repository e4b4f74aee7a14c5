import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type KeyValues = { key: string; value: Value }[];

/** OpenTelemetry span, with its attributes converted to a plain object. */
export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { code?: number };
  readonly attributes: Record<string, unknown>;
  readonly events: { name: string; attributes: Record<string, unknown> }[];
  /** Attributes of the span's resource. */
  readonly resource: Record<string, unknown>;
}

interface OtlpSpan extends Omit<Span, 'attributes' | 'events' | 'resource'> {
  attributes: KeyValues;
  events: { name: string; attributes: KeyValues }[];
}

interface Export {
  resourceSpans?: { resource: { attributes: KeyValues }; scopeSpans: { spans: OtlpSpan[] }[] }[];
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  spans(): Span[];
  readonly paths: ReadonlySet<string>;
  /** Returns everything that the collector has received, as JSON. */
  text(): string;
}

const plain = (attributes: KeyValues) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function startCollector(): Promise<Collector> {
  const exports: Export[] = [];
  const paths = new Set<string>();
  const server = createServer(async (request, response) => {
    paths.add(request.url ?? '');
    exports.push((await json(request)) as Export);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    spans: () => exports.flatMap(spansOf),
    text: () => JSON.stringify(exports),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function spansOf({ resourceSpans = [] }: Export): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        events: span.events.map(({ name, attributes: of }) => ({ name, attributes: plain(of) })),
        resource: plain(resource.attributes),
      })),
  );
}
