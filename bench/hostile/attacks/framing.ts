import { answering, execute } from '../assault.ts';
import { type Attack, AUTHORIZATION, KIB, MIB, SIZE } from '../attack.ts';
import { listOf, noise, range, repeated } from '../shapes.ts';
import { reply } from '../upstream.ts';

/** An answer as it stands on the wire. */
function onTheWire(name: string, responseBytes: number, build: () => Buffer): Attack {
  return {
    name: `framing: ${name}`,
    prepare: (scene) => {
      const bytes = build();
      scene.upstream.answer(() => bytes);
      const action = { headers: AUTHORIZATION };
      return async () => ({ answers: [await execute(scene, action)], responseBytes });
    },
  };
}

const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;
const withHeaders = (lines: readonly string[]) => () =>
  Buffer.from(`${head(`${lines.join('\r\n')}\r\ncontent-length: 1`)}1`, 'latin1');
const CHUNKED = head('transfer-encoding: chunked');

/** Bodies that are no JSON, for actions that ask for them as they are. */
const asked = (
  name: string,
  response_type: string,
  body: () => Buffer,
  headers: Record<string, string> = {},
) =>
  answering({
    name: `response_type ${response_type}: ${name}`,
    body,
    action: { response_type },
    headers,
  });

const LATIN_1 = { 'content-type': 'text/plain; charset=iso-8859-1' };

export const framing: Attack[] = [
  onTheWire('chunks of one byte', MIB, () => repeated('1\r\n1\r\n', 6 * MIB, CHUNKED, '0\r\n\r\n')),
  onTheWire('chunks with extensions of 1,000 bytes', 16 * KIB, () =>
    repeated(`1;${'x'.repeat(1_000)}\r\n1\r\n`, 16 * MIB, CHUNKED, '0\r\n\r\n'),
  ),
  onTheWire('a trailer of 15 KB', 1, () =>
    Buffer.from(`${CHUNKED}1\r\n1\r\n0\r\nx-a: ${noise(15_000)}\r\n\r\n`),
  ),
  onTheWire('trailers without end', 1, () =>
    repeated('x-a: b\r\n', 8 * MIB, `${CHUNKED}1\r\n1\r\n0\r\n`),
  ),
  onTheWire('1,000 headers', 16 * KIB, withHeaders(range(1_000, (n) => `x${n}: ${n}`))),
  onTheWire('1,000 cookies', 16 * KIB, withHeaders(range(1_000, (n) => `set-cookie: ${n}`))),
  onTheWire('headers of 15 KB of quotes', 16 * KIB, withHeaders([`x-a: ${'"\\'.repeat(7_500)}`])),
  onTheWire(
    'headers of 15 KB that are not ASCII',
    16 * KIB,
    withHeaders([`x-a: ${'\u00ff'.repeat(15_000)}`]),
  ),
  onTheWire(
    'headers of 15 KB of percent escapes',
    16 * KIB,
    withHeaders([`x-a: ${'%2525'.repeat(3_000)}`]),
  ),
  onTheWire('headers of 1 MB', 1, withHeaders([`x-a: ${noise(MIB)}`])),
  onTheWire('a location of 15 KB', 16 * KIB, () =>
    reply({ status: 302, headers: { location: `/${'%41'.repeat(5_000)}` } }),
  ),
  onTheWire('1xx, 100,000 times', 1, () =>
    Buffer.concat([repeated('HTTP/1.1 103 E\r\n\r\n', 2 * MIB), reply({ body: '1' })]),
  ),
  onTheWire('a second answer behind the first', 1, () =>
    Buffer.concat([reply({ body: '1' }), reply({ body: listOf('1', MIB) })]),
  ),
  asked('10 MiB of control characters', 'text', () => repeated('\u0001', SIZE)),
  asked('10 MiB of quotes', 'text', () => repeated('"\\', SIZE)),
  asked('10 MiB of latin-1', 'text', () => Buffer.alloc(SIZE, 0xe9), LATIN_1),
  asked('10 MiB', 'base64', () => Buffer.alloc(SIZE, 0xff)),
  asked('10 MiB of what is no UTF-8', 'auto', () => Buffer.alloc(SIZE, 0xff)),
  asked('10 MiB that are nearly JSON', 'auto', () => repeated('1,', SIZE, '[', '1!')),
];
