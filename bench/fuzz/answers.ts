import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { jsonText, largeJsonText, mutate, word } from './json.ts';
import type { Random } from './random.ts';

/** What a hostile upstream answers with. */
export interface HostileAnswer {
  readonly status: number;
  /** On the wire, head and all. */
  readonly bytes: Buffer;
  /** What becomes of the connection afterwards. */
  readonly ending: 'keep' | 'close' | 'reset' | 'hang';
  /** Its body without codings, when it is framed as the standard says. */
  readonly body?: Buffer;
  /** Of JSON that is not in UTF-8. */
  readonly charset?: 'latin1' | undefined;
}

const STATUSES = [
  200, 200, 200, 200, 200, 201, 202, 203, 206, 299, 400, 401, 404, 409, 418, 422, 429, 500, 502,
  503,
];

/** The default quality takes seconds for a large body. */
const quickBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const CODINGS: [name: string, encode: (body: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', quickBrotli],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['identity', (body) => body],
];

const EXTRA_HEADERS = [
  ...['set-cookie: a=b', 'set-cookie: c=d\r\nset-cookie: e=f', 'x-a: 1\r\nX-A: 2', 'etag: "x"'],
  ...['retry-after: 5', 'x-note: é', 'retry-after: Wed, 21 Oct 2099 07:28:00 GMT'],
  ...['retry-after: 99999999999999', 'location: http://a.test/', 'x-empty:', '__proto__: 1'],
  ...['constructor: 1', 'authorization: Bearer x', 'x-api-key: k', 'ratelimit: 5'],
  ...['x-tab: a\tb', 'vary: *'],
];

const TYPES = [
  ...['application/json', 'application/json; charset=latin1', 'text/html'],
  ...['application/problem+json', '', 'é', '*/*'],
];

/** The text of a body: JSON of all shapes, nearly JSON, or something else. */
function bodyOf(random: Random, embedded: string): Buffer {
  const kind = random.below(100);
  if (kind < 60) return Buffer.from(withText(random, jsonText(random), embedded));
  if (kind < 80) return Buffer.from(mutate(random, withText(random, jsonText(random), embedded)));
  if (kind < 85) return Buffer.from(`\ufeff${jsonText(random)}`);
  if (kind < 88) return Buffer.from(jsonText(random), 'utf16le');
  if (kind < 91) return Buffer.from(jsonText(random), 'latin1');
  if (kind < 93) return Buffer.alloc(0);
  if (kind < 96)
    return Buffer.from(`<html>${word(random).repeat(random.small(400))}${embedded}</html>`);
  if (kind < 99) return Buffer.from(random.times(random.small(2_000), () => random.below(256)));
  return Buffer.from(largeJsonText(random, 10 ** (3 + random.below(4)) * 2));
}

/** Puts a text, such as a credential, into a JSON text. */
function withText(random: Random, json: string, embedded: string): string {
  if (embedded === '') return json;
  const string = JSON.stringify(random.chance(0.5) ? embedded : `${word(random)}${embedded}`);
  return random.chance(0.5) ? `[${json},${string}]` : `{"a":${json},"b":${string}}`;
}

/** An answer of a server that keeps to HTTP, whatever is in its body. */
export function tameAnswer(random: Random, embedded: string): HostileAnswer {
  const status = random.pick(STATUSES);
  const body = bodyOf(random, embedded);
  const lines = random.times(random.small(5), () => random.pick(EXTRA_HEADERS));
  if (random.chance(0.8)) lines.push(`content-type: ${random.pick(TYPES)}`);
  const coded = random.chance(0.25) ? random.pick(CODINGS) : undefined;
  if (coded !== undefined) lines.push(`content-encoding: ${coded[0]}`);
  const sent = coded === undefined || body.length === 0 ? body : coded[1](body);
  const chunks = random.chance(0.3);
  lines.push(chunks ? 'transfer-encoding: chunked' : `content-length: ${sent.length}`);
  const informational = random.chance(0.02) ? 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n' : '';
  const head = `${informational}HTTP/1.1 ${status} Status\r\n${lines.join('\r\n')}\r\n\r\n`;
  const bytes = Buffer.concat([
    Buffer.from(head, 'latin1'),
    chunks ? inChunks(random, sent) : sent,
  ]);
  const charset = head.includes('; charset=latin1') ? 'latin1' : undefined;
  return { status, bytes, ending: 'keep', body, charset };
}

function inChunks(random: Random, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  const size = 1 + random.small(5_000);
  const extension = random.pick(['', '', ';a', ';a=b', ';a="x"']);
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(
      Buffer.from(`${part.length.toString(16)}${extension}\r\n`),
      part,
      Buffer.from('\r\n'),
    );
  }
  const end = random.pick(['0\r\n\r\n', '0\r\n\r\n', '0\r\nx-trailer: 1\r\n\r\n']);
  return Buffer.concat([...parts, Buffer.from(end)]);
}

const STATUS_LINES = [
  ...['HTTP/1.1 200', 'HTTP/1.1 999 X', 'HTTP/1.1 99 X', 'HTTP/1.1 0200 X', 'HTTP/2 200'],
  ...['HTTP/1.0 200 OK', 'ICY 200 OK', 'HTTP/1.1 200 é', 'HTTP/1.1 204 No', 'HTTP/1.1 304 Not'],
  ...['HTTP/1.1 100 Continue', 'HTTP/1.1 101 Switch', 'HTTP/1.1'],
  ...['HTTP/1.1 302 Found\r\nlocation: /again', 'HTTP/1.1 307 T\r\nlocation: //[', ''],
  ...['HTTP/1.1  200 OK', 'HTTP/1.1 -1 X'],
];

const BAD_LINES = [
  ...['content-length: 5', 'content-length: -1', 'content-length: 1\r\ncontent-length: 2'],
  ...['transfer-encoding: chunked', 'transfer-encoding: gzip'],
  ...['transfer-encoding: chunked, chunked', 'content-encoding: gzip', 'content-encoding: br'],
  ...['content-encoding: compress', 'content-encoding: gzip, br', ': x', 'a b: c', 'x: \u0000'],
  ...[' folded', 'x'.repeat(70_000), 'connection: close'],
  ...['connection: upgrade\r\nupgrade: websocket', 'keep-alive: timeout=0', 'trailer: x'],
  'x-é: é',
];

/** Bytes that are nearly an answer, or none, and connections that end in its midst. */
export function wildAnswer(random: Random): HostileAnswer {
  const line = random.chance(0.5) ? 'HTTP/1.1 200 OK' : random.pick(STATUS_LINES);
  const lines = random.times(random.small(6), () =>
    random.pick(random.chance(0.5) ? BAD_LINES : EXTRA_HEADERS),
  );
  const body = bodyOf(random, '');
  if (random.chance(0.4))
    lines.push(`content-length: ${Math.max(0, body.length + random.below(11) - 5)}`);
  const end = random.chance(0.95) ? '\r\n' : random.pick(['\n', '\r', '\r\n ']);
  const head = Buffer.from(
    `${line}${end}${lines.join(end)}${end}${end}`,
    random.pick(['latin1', 'utf8']),
  );
  const whole = Buffer.concat([head, random.chance(0.2) ? inChunks(random, body) : body]);
  const bytes = random.chance(0.3) ? whole.subarray(0, random.below(whole.length + 1)) : whole;
  const ending = random.chance(0.01) ? 'hang' : random.pick(['close', 'close', 'reset'] as const);
  return { status: 0, bytes, ending };
}
