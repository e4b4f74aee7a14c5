import type { Socket } from 'node:net';
import { type RawUpstream, shared, startRawUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { LOCAL_NAMES, startExecutor } from '../support/executor.ts';
import { textWith } from '../support/outcomes.ts';

const hosts = [...LOCAL_NAMES.hosts, 'bücher.test'];
const executor = shared(() => startExecutor({ ...LOCAL_NAMES, hosts }));

function redirect(socket: Socket, lines: string | Buffer): void {
  const end = 'content-length: 2\r\nconnection: close\r\n\r\n{}';
  const parts = ['HTTP/1.1 307 Go\r\n', lines, end];
  socket.end(Buffer.concat(parts.map((each) => Buffer.from(each))));
}

/**
 * Starts an upstream that redirects the first request with these raw header lines, and answers
 * later requests itself.
 */
const startRedirecting = (lines: (port: number) => string | Buffer): Promise<RawUpstream> => {
  const upstream = startRawUpstream({
    asked: async (socket, request) => {
      const { port } = await upstream;
      if (request > 1) return socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue');
      return redirect(socket, lines(port));
    },
  });
  return upstream;
};

const post = (port: number) => ({ method: 'POST', url: `http://127.0.0.1:${port}/from/here` });

const LOCATIONS: [name: string, location: string | Buffer, host: string, arrives: string][] = [
  ['absolute', 'http://127.0.0.1:PORT/to?a=1', '127.0.0.1', '/to?a=1'],
  ['of another host', 'http://api.test:PORT/to', 'api.test', '/to'],
  ['in upper case', 'HTTP://API.Test:PORT/To', 'api.test', '/To'],
  ['without scheme', '//api.test:PORT/to', 'api.test', '/to'],
  ['without path', 'http://api.test:PORT', 'api.test', '/'],
  ['of a path', '/to', '127.0.0.1', '/to'],
  ['of a path with @ and colon', '/me:pass@evil.test', '127.0.0.1', '/me:pass@evil.test'],
  ['of a path with double slashes inside', '/to//evil.test', '127.0.0.1', '/to//evil.test'],
  ['relative', 'to', '127.0.0.1', '/from/to'],
  ['relative, upwards', '../../../to', '127.0.0.1', '/to'],
  ['of a query alone', '?a=http://evil.test', '127.0.0.1', '/from/here?a=http://evil.test'],
  ['with a fragment', '/to#part', '127.0.0.1', '/to'],
  ['with spaces around', '  /to \t', '127.0.0.1', '/to'],
  ['with a space inside', '/a b', '127.0.0.1', '/a%20b'],
  ['in UTF-8', '/größe?ä=ö', '127.0.0.1', '/gr%C3%B6%C3%9Fe?%C3%A4=%C3%B6'],
  ['in latin1', Buffer.from('/größe', 'latin1'), '127.0.0.1', '/gr%F6%DFe'],
  ['percent-encoded', '/gr%c3%b6%C3%9Fe', '127.0.0.1', '/gr%c3%b6%C3%9Fe'],
  ['with an IDN in UTF-8', 'http://bücher.test:PORT/to', 'xn--bcher-kva.test', '/to'],
  ['with an IDN in Punycode', '//xn--bcher-kva.test:PORT/to', 'xn--bcher-kva.test', '/to'],
  ['of a path with a URL', '/x/http://b.test', '127.0.0.1', '/x/http://b.test'],
  ['relative, with a colon', 'x/y:z', '127.0.0.1', '/from/x/y:z'],
  ['with an empty fragment', '/to#', '127.0.0.1', '/to'],
  ['as long as a URL may be', `/${'a'.repeat(8_150)}`, '127.0.0.1', `/${'a'.repeat(8_150)}`],
];

const header = (location: string | Buffer) => (port: number) =>
  Buffer.from(
    `location:${Buffer.from(location).toString('latin1').replace('PORT', `${port}`)}\r\n`,
    'latin1',
  );

describe('a location', () => {
  it.each(LOCATIONS)('%s is followed', async (_name, location, host, arrives) => {
    await using upstream = await startRedirecting(header(location));
    await executor().success(post(upstream.port));
    expect(upstream.heads.at(-1)).toMatch(`POST ${arrives} HTTP/1.1\r\n`);
    expect(upstream.heads.at(-1)).toContain(`host: ${host}:${upstream.port}\r\n`);
  });

  it.each<[name: string, lines: string, why: string]>([
    ['missing', '', 'no `location` header'],
    ['empty', 'location:\r\n', 'no `location` header'],
    ['given twice', 'location: /a\r\nlocation: /b\r\n', 'no `location` header'],
    ['without host', 'location: http://\r\n', 'absolute'],
    ['with a slash too few', 'location: http:/to\r\n', 'absolute'],
    ['with no slash', 'location: http:to\r\n', 'absolute'],
    ['with a slash too many', 'location: http:///127.0.0.1/to\r\n', 'absolute'],
    ['with only three slashes', 'location: ///127.0.0.1/to\r\n', 'absolute'],
    ['of another scheme', 'location: ftp://127.0.0.1/\r\n', 'absolute'],
    ['of a script', 'location: javascript:alert(1)\r\n', 'absolute'],
    ['with a backslash for a slash', 'location: /\\127.0.0.1/to\r\n', 'backslashes'],
    ['with a backslash in its path', 'location: /to\\there\r\n', 'backslashes'],
    ['with a tab', 'location: /t\to\r\n', 'control characters'],
    ['with a tab before its slashes', 'location: /\t/evil.test/\r\n', 'control characters'],
    ['with credentials', 'location: http://me:secret@127.0.0.1/\r\n', 'credentials'],
    ['with an empty user', 'location: //@127.0.0.1/\r\n', 'credentials'],
    ['with the port of another protocol', 'location: http://127.0.0.1:22/\r\n', 'port 22'],
    ['with a port out of range', 'location: http://127.0.0.1:65536/\r\n', 'valid host'],
    ['of a scheme with signs', 'location: h2+x-y.z:a\r\n', 'absolute'],
    ['of a host in another spelling', 'location: http://0x7f.1/\r\n', '`127.0.0.1`'],
    ['of an escaped host', 'location: //%61pi.test/\r\n', '`api.test`'],
    ['of a host in fullwidth letters', 'location: //ａｐｉ.test/\r\n', '`api.test`'],
    ['too long', `location: /${'a'.repeat(8_192)}\r\n`, '8192 bytes'],
    ['of a host too long', `location: http://${'a.'.repeat(126)}test/\r\n`, '253 characters'],
  ])('%s is not followed, and the 3xx is returned', async (_name, lines, why) => {
    await using upstream = await startRedirecting(() => lines);
    expect(await executor().failure(post(upstream.port))).toMatchObject({
      error: 'HttpFailure',
      message: textWith('(307) that was not followed', why),
      status: 307,
      body: {},
      attempts: 1,
      history: [],
    });
    expect(upstream.requests).toBe(1);
  });
});
