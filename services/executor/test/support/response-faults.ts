import type { Socket } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import {
  BROKEN,
  EMPTY,
  type Fault,
  GOOD,
  MALFORMED,
  NOT_JSON,
  SECRET,
  TIMED_OUT,
  TOO_LARGE,
  UNDECODABLE,
} from './fault.ts';

/** The limit under which the faults of size are too large. */
export const MAX_RESPONSE_BYTES = 10_000;
const LARGE = Buffer.from(JSON.stringify('x'.repeat(2 * MAX_RESPONSE_BYTES)));

type Ending = (socket: Socket) => void;
const hold: Ending = () => {};
const fin: Ending = (socket) => socket.end();
/** After a turn in which what was sent before is read: a reset overtakes bytes on their way. */
const rst: Ending = (socket) => setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 30);

const drip =
  (drop: string): Ending =>
  (socket) => {
    const timer = setInterval(() => socket.write(drop), 10);
    socket.on('close', () => clearInterval(timer));
  };

/** Raw bytes for an answer, whatever the method. */
const bytes = (text: string | Buffer, ending: Ending) => (socket: Socket) => {
  socket.write(text);
  ending(socket);
};

/** A 200 with these header lines and, unless for HEAD, this body; then the ending. */
const ok =
  (headers: readonly string[], body: string | Buffer | Ending = '', ending: Ending = hold) =>
  (socket: Socket, hasBody: boolean) => {
    socket.write(['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n'));
    if (hasBody) {
      if (typeof body === 'function') body(socket);
      else socket.write(body);
    }
    ending(socket);
  };

const whole = (headers: readonly string[], body: string | Buffer) =>
  ok([...headers, `content-length: ${body.length}`], body);

const CHUNKED = ['transfer-encoding: chunked'];
const chunk = (body: string | Buffer) => `${body.length.toString(16)}\r\n${body}\r\n`;

const SILENT: Fault[] = [
  { name: 'silence', asked: hold, expected: TIMED_OUT },
  {
    name: 'dripped headers',
    asked: bytes('HTTP/1.1 200 OK\r\n', drip('x-a: b\r\n')),
    expected: TIMED_OUT,
  },
  {
    name: 'one dripped header',
    asked: bytes('HTTP/1.1 200 OK\r\nx-a: ', drip('b')),
    expected: TIMED_OUT,
  },
  {
    name: 'a flood of 102',
    asked: drip('HTTP/1.1 102 Processing\r\n\r\n'.repeat(5)),
    expected: TIMED_OUT,
  },
  {
    name: 'a flood of 103',
    asked: drip('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    expected: TIMED_OUT,
  },
];

const HEADS: Fault[] = [
  { name: 'FIN before the head', asked: fin, expected: BROKEN },
  { name: 'RST before the head', asked: (socket) => socket.resetAndDestroy(), expected: BROKEN },
  { name: 'FIN in the head', asked: bytes('HTTP/1.1 200 OK\r\ncontent-le', fin), expected: BROKEN },
  { name: 'RST in the head', asked: bytes('HTTP/1.1 200 OK\r\ncontent-le', rst), expected: BROKEN },
  {
    name: 'another protocol',
    asked: bytes(`SSH-2.0-OpenSSH_9.9 ${SECRET}\r\n`, hold),
    expected: MALFORMED,
  },
  { name: 'an HTTP/0.9 answer', asked: bytes(`<p>${SECRET}</p>\n`, fin), expected: MALFORMED },
  {
    name: 'bytes of no protocol',
    asked: bytes(Buffer.alloc(2_000, '\u0000\u0001\u00fe'), hold),
    expected: MALFORMED,
  },
  {
    name: 'a protocol switch',
    asked: bytes('HTTP/1.1 101 Switch\r\nupgrade: h2c\r\n\r\n', hold),
    expected: MALFORMED,
  },
  {
    name: 'headers of 15 KiB',
    asked: whole(header(15), '{"good":true}'),
    expected: GOOD,
    head: EMPTY,
  },
  { name: 'headers of 17 KiB', asked: whole(header(17), '{}'), expected: MALFORMED },
  { name: 'headers of 2 MiB', asked: whole(header(2_048), '{}'), expected: MALFORMED },
];

function header(kib: number): string[] {
  return Array.from({ length: kib }, (_, index) => `x-${index}: ${SECRET}`.padEnd(1_022, 'x'));
}

const BODIES: Fault[] = [
  { name: 'FIN before its end', asked: ok(['content-length: 20'], '{"a":', fin), expected: BROKEN },
  { name: 'RST before its end', asked: ok(['content-length: 20'], '{"a":', rst), expected: BROKEN },
  { name: 'FIN before its start', asked: ok(['content-length: 20'], '', fin), expected: BROKEN },
  {
    name: 'FIN before its end, as announced by connection: close',
    asked: ok(['content-length: 20', 'connection: close'], '{"a":', fin),
    expected: BROKEN,
  },
  { name: 'FIN in a chunk', asked: ok(CHUNKED, '9\r\n{"a":', fin), expected: BROKEN },
  { name: 'FIN between chunks', asked: ok(CHUNKED, chunk('{}'), fin), expected: BROKEN },
  { name: 'RST between chunks', asked: ok(CHUNKED, chunk('{}'), rst), expected: BROKEN },
  { name: 'a dripped body', asked: ok(['content-length: 100000'], drip(' ')), expected: TIMED_OUT },
  { name: 'dripped chunks', asked: ok(CHUNKED, drip(chunk(' '))), expected: TIMED_OUT },
  {
    name: 'a bad chunk size',
    asked: ok(CHUNKED, `${SECRET}\r\n{}\r\n0\r\n\r\n`),
    expected: MALFORMED,
  },
  {
    name: 'a chunk longer than its size',
    asked: ok(CHUNKED, '1\r\n{}\r\n0\r\n\r\n'),
    expected: MALFORMED,
  },
  { name: 'not JSON', asked: whole([], `<p>${SECRET}</p>`), expected: NOT_JSON },
  { name: 'not UTF-8', asked: whole([], Buffer.from([0x22, 0xff, 0x22])), expected: NOT_JSON },
  { name: 'too large, with a length', asked: whole([], LARGE), expected: TOO_LARGE },
  { name: 'too large, in chunks', asked: ok(CHUNKED, chunk(LARGE)), expected: TOO_LARGE },
  {
    name: 'too large, until close',
    asked: ok(['connection: close'], LARGE, hold),
    expected: TOO_LARGE,
  },
];

const coded = (coding: string, body: string | Buffer) =>
  whole([`content-encoding: ${coding}`], body);
const zipped = gzipSync(JSON.stringify({ text: 'some text that is long enough to be cut' }));

const CODINGS: Fault[] = [
  {
    name: 'a gzip bomb',
    asked: coded('gzip', gzipSync(Buffer.alloc(30_000_000, ' '))),
    expected: TOO_LARGE,
  },
  { name: 'gzip that is none', asked: coded('gzip', '{"good":true}'), expected: UNDECODABLE },
  { name: 'gzip cut short', asked: coded('gzip', zipped.subarray(0, -12)), expected: UNDECODABLE },
  {
    name: 'gzip with a wrong checksum',
    asked: coded('gzip', damaged(zipped)),
    expected: UNDECODABLE,
  },
  { name: 'gzip that the connection cuts short', asked: cut(zipped), expected: BROKEN },
  {
    name: 'a bomb in a bomb',
    asked: coded('gzip, gzip', gzipSync(gzipSync(Buffer.alloc(30_000_000, ' ')))),
    expected: TOO_LARGE,
  },
  {
    name: 'a bomb of zstd',
    asked: coded('zstd', zstdCompressSync(Buffer.alloc(30_000_000, ' '))),
    expected: TOO_LARGE,
  },
  { name: 'an unknown coding', asked: coded('compress', '{"good":true}'), expected: UNDECODABLE },
];

/** The checksum is in the four bytes before the last four. */
function damaged(body: Buffer): Buffer {
  return Buffer.from(body.map((byte, index) => (index === body.length - 8 ? byte ^ 0xff : byte)));
}

function cut(body: Buffer): NonNullable<Fault['asked']> {
  return ok(
    ['content-encoding: gzip', `content-length: ${body.length}`],
    body.subarray(0, -12),
    fin,
  );
}

/**
 * Faults of the answer to a request. One that lies in the body is none for HEAD, whose
 * answer ends with its head.
 */
export const RESPONSE_FAULTS: readonly Fault[] = [
  ...SILENT,
  ...HEADS,
  ...[...BODIES, ...CODINGS].map((fault) => ({ ...fault, head: EMPTY })),
];
