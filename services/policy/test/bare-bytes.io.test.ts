import { afterAll, describe, expect, it } from 'vitest';
import { exchange } from './support/bare-socket.ts';
import { startPolicy } from './support/policy-server.ts';
import { problemIn } from './support/problems.ts';

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const POST = 'POST /policy/check HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

describe('bytes that are not an HTTP request get a 400 problem and the end of the connection', () => {
  it.each([
    ['a word', 'GARBAGE\r\n\r\n'],
    ['JSON', '{"spend":null}\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['an unknown method', 'FROB /policy/check HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['an unknown version', 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n'],
    ['a header without a colon', 'GET /healthz HTTP/1.1\r\nhost x\r\n\r\n'],
    ['a header name with a blank', 'GET /healthz HTTP/1.1\r\nho st: x\r\n\r\n'],
    ['a content-length that is no number', `${POST}content-length: ten\r\n\r\n{}`],
    ['a negative content-length', `${POST}content-length: -2\r\n\r\n{}`],
    ['two content-lengths', `${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    [
      'content-length and chunks',
      `${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk size that is no number',
      `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    ],
  ])('%s', async (_name, bytes) => {
    const answer = await exchange(server.port, bytes);
    problemIn(answer, { status: 400, code: 'MalformedRequest' });
    expect(answer.headers.get('connection')).toBe('close');
  });
});

describe('headers that are too large get a 431 problem', () => {
  it.each([
    [
      'one header of 100 kB',
      `GET /healthz HTTP/1.1\r\nhost: x\r\nx-padding: ${'p'.repeat(100_000)}\r\n\r\n`,
    ],
    ['a request line of 100 kB', `GET /${'p'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ])('%s', async (_name, bytes) => {
    problemIn(await exchange(server.port, bytes), { status: 431, code: 'HeadersTooLarge' });
  });
});

describe('the service', () => {
  it('still answers others afterwards', async () => {
    await exchange(server.port, '\0'.repeat(64));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});
