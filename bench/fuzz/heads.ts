import { mutate } from './json.ts';
import type { Random } from './random.ts';

const METHODS = [
  ...['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PROPFIND', 'TRACE', 'get', 'G E T'],
  ...['', 'POST\t'],
];
const PATHS = [
  ...['/execute', '/policy/check', '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'],
  ...['/problems/x', '/sandbox', '/docs/static/../../x', '/%', '/%zz', '/%00', '/execute/'],
  ...['//execute', '/execute?dry_run=true', '/EXECUTE', '*', '/execute?dry_run=2&x'],
  ...['http://a.test/execute', '/é', '/..', '/docs/static/%2e%2e/x', '/problems/__proto__', ''],
  '/a b',
];
const VERSIONS = [
  ...['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1.11', '', 'RTSP/1.0'],
];
const LINES = [
  ...['host: localhost', 'host: a\r\nhost: b', 'Host:', 'connection: keep-alive'],
  ...['connection: upgrade\r\nupgrade: h2c', 'content-type: application/json'],
  ...['content-type: text/plain', 'content-type: application/json; charset=latin1'],
  ...['content-type: application/json;', 'content-encoding: gzip', 'expect: 100-continue'],
  ...['expect: 200', 'te: trailers', 'transfer-encoding: chunked'],
  ...['transfer-encoding: gzip, chunked', 'Transfer-Encoding : chunked', 'content-length: 0'],
  ...['content-length: -1', 'content-length: 1e3', 'content-length: 5, 5'],
  ...['content-length: 99999999999999999999', 'x-request-id: é', 'x-request-id: a b'],
  ...[`x-request-id: ${'r'.repeat(129)}`, 'traceparent: 00-0-0-00', 'a', ': b', ' folded'],
  ...['authorization: Bearer x', 'authorization: Basic %%', 'origin: http://a.test'],
  ...['accept: */*;q=x', 'cookie: a=b', 'x: \u0000'],
];

const chunked = (body: string, random: Random) =>
  `${Buffer.byteLength(body).toString(16)}${random.pick(['', ';a=b', ';', ' '])}\r\n${body}\r\n${random.pick(['0\r\n\r\n', '0\r\nx: y\r\n\r\n', '', '-1\r\n', '0\r\n'])}`;

/** The bytes of one or more requests, or of something that looks like them, around a body. */
export function requestBytes(random: Random, bodyOf: () => string): Buffer {
  const count = random.chance(0.85) ? 1 : 1 + random.small(20);
  const text = random.times(count, () => oneRequest(random, bodyOf())).join('');
  if (random.chance(0.05))
    return Buffer.from(random.times(random.small(2_000), () => random.below(256)));
  return Buffer.from(
    random.chance(0.3) ? mutate(random, text) : text,
    random.pick(['utf8', 'utf8', 'latin1']),
  );
}

function oneRequest(random: Random, body: string): string {
  const method = random.chance(0.6) ? 'POST' : random.pick(METHODS);
  const version = random.chance(0.9) ? 'HTTP/1.1' : random.pick(VERSIONS);
  const lines = random.chance(0.5) ? [] : random.times(random.small(6), () => random.pick(LINES));
  if (random.chance(0.9)) lines.push('host: localhost');
  if (random.chance(0.7)) lines.push('content-type: application/json');
  if (random.chance(0.02)) lines.push(`x-long: ${'h'.repeat(random.small(200_000))}`);
  if (random.chance(0.02)) lines.push(...random.times(random.small(3_000), (n) => `x-${n}: ${n}`));
  const framing = random.below(5);
  if (framing < 3)
    lines.push(
      `content-length: ${Buffer.byteLength(body) + (framing === 2 ? random.below(9) - 4 : 0)}`,
    );
  const sent = framing === 3 ? chunked(body, random) : body;
  if (framing === 3) lines.push('transfer-encoding: chunked');
  const end = random.chance(0.95) ? '\r\n' : random.pick(['\n', '\r', '\r\n\r\n']);
  return `${method} ${random.pick(PATHS)} ${version}${end}${lines.join(end)}${end}${end}${sent}`;
}
