import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { certificate } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createLogger, createServer, type Server } from '../../src/index.ts';
import { type RunningServer, startServer } from '../support/server.ts';

const { cert, key } = await certificate('server');
const tls = { cert, key, clientCa: undefined };
const ACCESS = {
  'plain HTTP': {},
  TLS: { access: { tokens: undefined, tls, corsOrigins: new Set<string>() } },
};

/**
 * Shortened limits. The TLS handshake keeps its default limit, because it ends before these limits
 * apply.
 */
const clientTimes = { headersMs: 150, requestMs: 300, checkMs: 50 };

const HEAD = 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
const STALLING = [HEAD, `${HEAD}content-length: 50\r\n\r\n{`];

/** Sends an incomplete request. Returns everything received until the connection closes. */
async function answerTo(bytes: string, { port, url }: RunningServer): Promise<string> {
  const to = { port, host: '127.0.0.1' };
  const socket = url.startsWith('https:')
    ? connectTls({ ...to, ca: cert, servername: 'localhost' })
    : connectTcp(to);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text) => {
    answer += text;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('a client that stalls', () => {
  it('has 15 s for its headers, and 30 s for a request', async () => {
    const options = { logger: createLogger('slow', 'silent'), maxRequestBytes: 1_000 };
    const timesOf = async (access: object) => {
      const { server } = await createServer({ ...options, ...access });
      const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server;
      return { headersTimeout, requestTimeout, keepAliveTimeout, timeout };
    };
    const times = await timesOf(ACCESS['plain HTTP']);
    expect(times).toMatchObject({ headersTimeout: 15_000, requestTimeout: 30_000 });
    expect(await timesOf(ACCESS.TLS)).toEqual(times);
  });

  it.each(Object.entries(ACCESS))(
    'gets a 408 over %s, both in its headers and in its body',
    async (_over, access) => {
      const echo = (app: Server) => void app.post('/echo', () => ({}));
      await using server = await startServer(echo, { ...access, clientTimes });
      for (const answer of await Promise.all(STALLING.map((bytes) => answerTo(bytes, server)))) {
        expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
        expect(answer).toContain('"code":"RequestTimeout"');
      }
    },
  );

  it('is disconnected if it never begins the TLS handshake', async () => {
    const times = { clientTimes: { handshakeMs: 100 } };
    await using server = await startServer(() => {}, { ...ACCESS.TLS, ...times });
    const socket = connectTcp(server.port, '127.0.0.1').resume();
    await once(socket, 'close');
  });
});
