import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { createLogger, createServer } from '../src/index.ts';

const app = createServer({ logger: createLogger('slow', 'silent'), maxRequestBytes: 1_000 });
app.post('/echo', () => ({}));
await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());

/** What comes back for bytes that are never completed. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

const HEAD = 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

describe('a client that stalls', () => {
  it('has less time for its headers than for the whole request, as Node needs it', () => {
    expect(app.server.headersTimeout).toBeGreaterThan(0);
    expect(app.server.headersTimeout).toBeLessThan(app.server.requestTimeout);
    expect(app.server.requestTimeout).toBe(30_000);
  });

  it('is answered with 408 and disconnected, in its headers and in its body', async () => {
    // A hundredth of the configured times; what is configured is held by the test above.
    app.server.headersTimeout /= 100;
    app.server.requestTimeout /= 100;
    const answers = await Promise.all([
      answerTo(HEAD),
      answerTo(`${HEAD}content-length: 50\r\n\r\n{`),
    ]);
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"code":"RequestTimeout"');
    }
  });
});
