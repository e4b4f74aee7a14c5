import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readBody } from '../../src/transport/read-body.ts';

const KIB = 1_024;

/** Reads a body that arrives in chunks of 40 KiB. Returns it with the sizes that it reserved. */
async function read(chunks: number, maxBytes: number) {
  const stream = Readable.from(Array.from({ length: chunks }, () => Buffer.alloc(40 * KIB, 'x')));
  const reserved: number[] = [];
  const reserve = async (bytes: number) => void reserved.push(bytes);
  return { ...(await readBody(stream, 'none', { maxBytes, reserve })), reserved };
}

it.each([
  ['needs no reservation', 1, 1_000, 40, []],
  ['reserves twice its size', 2, 1_000, 80, [160]],
  ['reserves more when it has grown', 5, 1_000, 200, [160, 400]],
  ['reserves at most the limit', 3, 120, 120, [120]],
  ['stops at the limit', 4, 120, 120, [120]],
])('a body %s', async (_name, chunks, maxKib, sizeKib, reservedKib) => {
  const { bytes, fault, reserved } = await read(chunks, maxKib * KIB);
  expect(bytes.equals(Buffer.alloc(sizeKib * KIB, 'x'))).toBe(true);
  expect(fault).toBe(chunks * 40 > maxKib ? 'too_large' : undefined);
  expect(reserved).toEqual(reservedKib.map((each) => each * KIB));
  expect(bytes.buffer.byteLength).toBeLessThanOrEqual(Math.max(64 * KIB, ...reserved));
});

it('a body waits for memory, even for its last chunk', async () => {
  const stream = Readable.from([Buffer.alloc(40 * KIB), Buffer.alloc(40 * KIB)]);
  const { promise, resolve } = Promise.withResolvers<void>();
  let ended = false;
  const reading = readBody(stream, 'none', { maxBytes: 120 * KIB, reserve: () => promise });
  void reading.then(() => {
    ended = true;
  });
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  resolve();
  expect((await reading).bytes).toHaveLength(80 * KIB);
});
