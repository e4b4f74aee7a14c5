import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import { answering } from '../assault.ts';
import { type Attack, AUTHORIZATION, MIB, SIZE } from '../attack.ts';
import { membersOf, repeated } from '../shapes.ts';

const EMPTY_MEMBER = gzipSync('');

const gzip = { 'content-encoding': 'gzip' };

/** Fast rather than small: what counts is what comes out. */
const brotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

/** A gzip header with a file name that takes so many bytes, and nothing in it. */
function longName(bytes: number): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 0b1000, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([
    header,
    Buffer.alloc(bytes, 'n'),
    Buffer.from([0]),
    EMPTY_MEMBER.subarray(10),
  ]);
}

/** A few kilobytes that become many megabytes, or work without end. */
export const encodings: Attack[] = [
  answering({
    name: 'gzip: 750,000 keys',
    body: () => membersOf((n) => `k${n}`, '1', SIZE),
    encode: gzipSync,
    headers: gzip,
  }),
  answering({
    name: 'gzip bomb, 256 MiB',
    body: () => Buffer.alloc(256 * MIB, ' '),
    encode: gzipSync,
    headers: gzip,
  }),
  answering({
    name: 'brotli bomb, 256 MiB',
    body: () => Buffer.alloc(256 * MIB, ' '),
    encode: brotli,
    headers: { 'content-encoding': 'br' },
  }),
  answering({
    name: 'deflate bomb, 128 MiB',
    body: () => Buffer.alloc(128 * MIB, ' '),
    encode: (body) => deflateRawSync(body),
    headers: { 'content-encoding': 'deflate' },
  }),
  answering({
    name: 'gzip in gzip, named twice',
    body: () => Buffer.alloc(64 * MIB, ' '),
    encode: (body) => gzipSync(gzipSync(body)),
    headers: { 'content-encoding': 'gzip, gzip' },
  }),
  answering({
    name: '400,000 empty gzip members',
    body: () => Buffer.alloc(0),
    encode: () => Buffer.alloc(400_000 * EMPTY_MEMBER.length, EMPTY_MEMBER),
    headers: gzip,
  }),
  answering({
    name: 'a gzip header of 9 MiB',
    body: () => Buffer.alloc(0),
    encode: () => longName(9 * MIB),
    headers: gzip,
  }),
  answering({
    name: 'an error page in gzip, 64 MiB',
    body: () => Buffer.alloc(64 * MIB, '&amp;'),
    encode: gzipSync,
    headers: gzip,
    status: 502,
  }),
  answering({
    name: 'an error page in gzip of 10 MiB, credential',
    body: () => repeated('%61&#97;\\u0061', SIZE),
    encode: gzipSync,
    headers: gzip,
    status: 404,
    action: { headers: AUTHORIZATION },
  }),
];
