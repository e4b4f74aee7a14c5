import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { authority, type Certificate, certificate } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startWithDestinations } from '../support/destinations.ts';

const [ca, stranger] = await Promise.all([authority('inside'), authority('stranger')]);
const [server, client, foreign] = await Promise.all([
  certificate('localhost', ca),
  certificate('gatehouse', ca),
  certificate('foreign', stranger),
]);

interface Seen {
  readonly url: string;
  /** Common name of the client certificate, or undefined if the client sent none. */
  readonly client: string | undefined;
  readonly port: number | undefined;
}

/**
 * Starts a TLS server that asks for a client certificate. If `isRequired` is true, the server
 * refuses clients without one.
 */
async function startTls(locations: Readonly<Record<string, string>>, isRequired: boolean) {
  const seen: Seen[] = [];
  const options = { ...server, ca: ca.cert, requestCert: true, rejectUnauthorized: isRequired };
  const listening = https.createServer(options, ({ url = '', socket }, response) => {
    const name = (socket as TLSSocket).getPeerCertificate().subject?.CN;
    seen.push({ url, client: [name].flat()[0], port: socket.remotePort });
    const location = locations[url];
    response.writeHead(location === undefined ? 200 : 302, { ...(location && { location }) });
    response.end('{}');
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  return {
    seen,
    port: (listening.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      listening.closeAllConnections();
      await new Promise((closed) => listening.close(closed));
    },
  };
}

const IDENTITY = 'ca_file: ca.pem, client_cert_file: client.pem, client_key_file: client.key';

function filesFor(port: number, identity: Certificate = client) {
  const host = `host: "localhost:${port}"`;
  return {
    'destinations.yaml': `
destinations:
  - { ${host}, paths: [/mine, "/mine/**"], ${IDENTITY} }
  - { ${host}, paths: ["/trusted/**"], ca_file: ca.pem }
  - { ${host}, paths: ["/plain"] }
`,
    'ca.pem': `\uFEFF${ca.cert}`,
    'client.pem': `# BEGIN CLIENT CERTIFICATE\n${identity.cert}`,
    'client.key': identity.key,
  };
}

const getFrom = (port: number) => (path: string) => ({
  method: 'GET',
  url: `https://localhost:${port}${path}`,
});

describe('the TLS files of a destination', () => {
  it('let that destination alone connect to a server that requires a client certificate', async () => {
    await using tls = await startTls({}, true);
    await using executor = startWithDestinations(filesFor(tls.port));
    const get = getFrom(tls.port);
    expect(await executor.outcome(get('/mine'))).toMatchObject({ outcome: 'success' });
    for (const path of ['/trusted/a', '/plain'])
      expect(await executor.outcome(get(path))).toMatchObject({
        outcome: 'failure',
        error: 'ConnectFailure',
      });
    expect(tls.seen).toMatchObject([{ url: '/mine', client: 'gatehouse' }]);
  });

  it('do not add an authority for other destinations', async () => {
    await using tls = await startTls({}, false);
    await using executor = startWithDestinations(filesFor(tls.port));
    const get = getFrom(tls.port);
    for (const path of ['/plain', '/mine', '/plain', '/trusted/a', '/plain']) {
      const { outcome } = await executor.outcome(get(path));
      expect([path, outcome]).toEqual([path, path === '/plain' ? 'failure' : 'success']);
    }
    expect(tls.seen.map(({ client: name }) => name)).toEqual(['gatehouse', undefined]);
  });

  it('do not help with a certificate of another authority', async () => {
    await using tls = await startTls({}, true);
    await using executor = startWithDestinations(filesFor(tls.port, foreign));
    expect(await executor.outcome(getFrom(tls.port)('/mine'))).toMatchObject({
      outcome: 'failure',
    });
    expect(tls.seen).toEqual([]);
  });

  it('keep their own connections, which requests to that destination share', async () => {
    await using tls = await startTls({}, false);
    await using executor = startWithDestinations(filesFor(tls.port));
    const get = getFrom(tls.port);
    for (const path of ['/mine', '/trusted/a', '/mine/b', '/trusted/b', '/mine'])
      expect(await executor.outcome(get(path))).toMatchObject({ outcome: 'success' });
    const portsOf = (prefix: string) =>
      new Set(tls.seen.filter(({ url }) => url.startsWith(prefix)).map(({ port }) => port));
    expect([portsOf('/mine').size, portsOf('/trusted').size]).toEqual([1, 1]);
    expect(portsOf('/mine')).not.toEqual(portsOf('/trusted'));
    expect(tls.seen.map(({ client: name }) => name)).toEqual([
      'gatehouse',
      undefined,
      'gatehouse',
      undefined,
      'gatehouse',
    ]);
  });

  it('are presented after redirects within the destination, and not after others', async () => {
    const locations = {
      '/mine/a': '/mine/b',
      '/mine/b': '/trusted/a',
      '/trusted/a': '/mine',
      '/mine': '/mine/c',
    };
    await using tls = await startTls(locations, false);
    await using executor = startWithDestinations(filesFor(tls.port));
    for (let count = 0; count < 2; count++)
      expect(await executor.outcome(getFrom(tls.port)('/mine/a'))).toMatchObject({ status: 200 });
    const expected = [
      { url: '/mine/a', client: 'gatehouse' },
      { url: '/mine/b', client: 'gatehouse' },
      { url: '/trusted/a', client: undefined },
      { url: '/mine', client: undefined },
      { url: '/mine/c', client: undefined },
    ];
    expect(tls.seen).toMatchObject([...expected, ...expected]);
  });

  it('are read again with the destinations file, and open new connections', async () => {
    await using tls = await startTls({}, true);
    await using executor = startWithDestinations(filesFor(tls.port));
    const action = getFrom(tls.port)('/mine');
    await executor.outcome(action);
    const renewed = await certificate('renewed', ca);
    executor.write('client.pem', renewed.cert);
    expect(() => executor.reload()).toThrow('/destinations/0 has TLS files that cannot be used');
    await executor.outcome(action);
    executor.write('client.key', renewed.key);
    executor.reload();
    await executor.outcome(action);
    expect(tls.seen.map(({ client: name }) => name)).toEqual(['gatehouse', 'gatehouse', 'renewed']);
  });

  it.each([
    ['ca.pem', 'no certificate'],
    ['ca.pem', '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n'],
    ['ca.pem', foreign.cert.trim() + foreign.cert],
    ['client.pem', ''],
    ['client.key', ''],
    ['client.key', 'no key'],
    ['client.key', foreign.key],
  ])('must be usable: %s with %j', (name, content) => {
    const start = () => startWithDestinations({ ...filesFor(443), [name]: content });
    expect(start).toThrow(
      new RegExp(
        `destinations\\.yaml:\\d+: /destinations/0 has TLS files .*${name}\`|the private key in`,
      ),
    );
  });
});
