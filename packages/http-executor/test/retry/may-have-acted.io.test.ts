import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { freePort, selfSigned, shared, startRawUpstream, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { LOCAL_NAMES, startExecutor } from '../support/executor.ts';

const certificate = await selfSigned('api.test', 'other.test');
const stranger = await selfSigned('other.test');

const ATTEMPT_TIMEOUT_MS = 400;
const clock = fakeClock();
const timeOver = () => clock.pass(ATTEMPT_TIMEOUT_MS);

const executor = shared(() =>
  startExecutor({
    ...LOCAL_NAMES,
    hosts: ['*.test'],
    ...{ clock, attemptTimeoutMs: ATTEMPT_TIMEOUT_MS, ca: certificate.cert },
    resolve: (name) => {
      if (name !== 'silent.test') return LOCAL_NAMES.resolve(name);
      timeOver();
      return new Promise(() => {});
    },
  }),
);

/** Sends a POST, which is never attempted twice, and returns the message of its failure. */
const failureMessage = async (url: string) =>
  (await executor().failure({ method: 'POST', url })).message;

const GARBAGE = { asked: (socket: Socket) => socket.end('HELO\r\n\r\n') };
const CUT = { asked: (socket: Socket) => socket.end() };

/** Starts an upstream whose redirect turns a POST into a GET. */
const startRedirecting = (location: string) =>
  startUpstream({ status: 303, headers: { location } });

describe('a failure after a redirect names who may have acted', () => {
  it('if the redirect leads to a host that accepts no connection', async () => {
    await using upstream = await startRedirecting(`http://other.test:${await freePort()}/`);
    expect(await failureMessage(`http://api.test:${upstream.port}/`)).toMatch(
      new RegExp(
        `refused \\(ECONNREFUSED\\)\\. \`api.test:${upstream.port}\` may have acted on the request\\.$`,
      ),
    );
  });

  it('if the redirect leads to a name that does not resolve in time', async () => {
    await using upstream = await startRedirecting('http://silent.test/');
    expect(await failureMessage(`http://api.test:${upstream.port}/`)).toBe(
      `\`silent.test\` could not be reached within 400 ms. \`api.test:${upstream.port}\` may have acted on the request.`,
    );
  });

  it('if the redirect leads to a host whose certificate is refused', async () => {
    await using untrusted = await startUpstream({}, stranger);
    await using upstream = await startRedirecting(`https://other.test:${untrusted.port}/`);
    expect(await failureMessage(`http://api.test:${upstream.port}/`)).toMatch(
      new RegExp(
        `\\. \`api.test:${upstream.port}\` may have acted on the request\\. Another attempt will not help\\.$`,
      ),
    );
  });

  it.each([
    ['is cut off', CUT, 'was lost [^.]*\\.'],
    ['does not answer', { asked: timeOver }, 'did not send its whole response within 400 ms;'],
    ['does not speak HTTP', GARBAGE, 'well-formed HTTP/1.1 response\\.'],
  ])('if the redirect leads to a host that %s', async (_name, script, expected) => {
    await using target = await startRawUpstream(script);
    await using between = await startRedirecting(`http://other.test:${target.port}/`);
    await using upstream = await startRedirecting(`http://third.test:${between.port}/`);
    const hosts = [
      `api.test:${upstream.port}`,
      `third.test:${between.port}`,
      `other.test:${target.port}`,
    ];
    expect(await failureMessage(`http://api.test:${upstream.port}/`)).toMatch(
      new RegExp(
        `${expected} ${hosts.map((host) => `\`${host}\``).join(' and ')} may have acted on the request\\.$`,
      ),
    );
  });

  it('if the redirect leads to the same host', async () => {
    await using upstream = await startUpstream(({ url }, response) => {
      if (url === '/to') response.destroy();
      else response.writeHead(303, { location: '/to' }).end();
    });
    expect(await failureMessage(`http://api.test:${upstream.port}/`)).toMatch(
      /was lost .*\. It may have acted on the request\.$/,
    );
  });
});

/** Runs `work`, and passes it the list of sockets that the executor has opened since. */
async function ownSockets(work: (sockets: Socket[]) => Promise<void>): Promise<void> {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  diagnostics.subscribe('net.client.socket', onSocket);
  await work(sockets).finally(() => diagnostics.unsubscribe('net.client.socket', onSocket));
}

describe('an error that can also prevent a connection', () => {
  it.each(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'EADDRNOTAVAIL'])(
    '%s on an established connection means that the request may have been acted on',
    async (code) => {
      await ownSockets(async (sockets) => {
        // Destroys the socket just as the operating system does when packets are lost.
        const fail = (port: number) =>
          sockets
            .find(({ remotePort }) => remotePort === port)
            ?.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' }));
        await using upstream = await startUpstream((_request, response) =>
          fail(response.socket?.localPort ?? 0),
        );
        const failure = await executor().failure({
          method: 'POST',
          url: `http://api.test:${upstream.port}/`,
        });
        expect(failure).toMatchObject({
          error: 'ConnectFailure',
          message: `The connection to \`api.test:${upstream.port}\` was lost (${code}). It may have acted on the request.`,
          history: [{ classification: 'connect' }],
        });
      });
    },
  );
});
