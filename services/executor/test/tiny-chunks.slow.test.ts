import { expect, it } from 'vitest';
import { startProcess } from './support/process.ts';
import { startRawUpstream } from './support/raw-upstream.ts';

const CHUNKS = 1_500_000;
const BATCH = 15_000;
const HEAP_MIB = 96;

/**
 * A JSON string, each byte of it in a chunk of its own: a hundred times the memory if
 * each were kept as an object.
 */
it('a body in chunks of one byte takes memory for its bytes only', async () => {
  await using upstream = await startRawUpstream({
    asked: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"\r\n');
      const batch = '1\r\nx\r\n'.repeat(BATCH);
      for (let sent = 0; sent < CHUNKS; sent += BATCH) socket.write(batch);
      socket.write('1\r\n"\r\n0\r\n\r\n');
    },
  });
  await using service = await startProcess({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` });
  const { body } = await service.success({ method: 'GET', url: upstream.origin });
  expect((body as string).length).toBe(CHUNKS);
});
