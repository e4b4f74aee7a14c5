import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { certificate } from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';
import {
  accessSchema,
  checkAccess,
  createLogger,
  createServer,
  readAccess,
  readSettings,
} from '../src/index.ts';
import { scratchFiles } from './support/files.ts';

const file = scratchFiles();
const { cert, key } = await certificate('server');
const env = { X_TLS_CERT_FILE: await file(cert), X_TLS_KEY_FILE: await file(key) };
const access = readAccess('X', readSettings(env, accessSchema('X'), checkAccess('X')));

const options = { logger: createLogger('tls', 'silent'), maxRequestBytes: 1_000 };
const plain = createServer(options);
const app = createServer({ ...options, access });
app.post('/echo', () => ({}));
await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());

/** What comes back for bytes that are never completed. */
async function answerTo(bytes: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', ca: cert, servername: 'localhost' });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

const HEAD = 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const TIMES = ['headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'timeout'] as const;

describe('over TLS', () => {
  it.each(TIMES)('%s is that of a plain server', (time) => {
    expect(app.server[time]).toBe(plain.server[time]);
  });

  it('a client that stalls is answered with 408 and disconnected', async () => {
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

  // Node's own limit is two minutes. Ours, of ten seconds, is waited for.
  it('a client that never begins the handshake is disconnected', async () => {
    const socket = connectTcp((app.server.address() as AddressInfo).port, '127.0.0.1').resume();
    await once(socket, 'close');
  });
});
