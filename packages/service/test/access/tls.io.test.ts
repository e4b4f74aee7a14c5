import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import type { ServiceProcess } from '@gatehouse/testing';
import { authority, type Certificate, certificate } from '@gatehouse/testing';
import { Agent, request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { exchange } from '../support/bare-exchange.ts';
import { scratchFiles } from '../support/files.ts';
import { logged, SERVICES, sharedService } from '../support/services.ts';

const file = scratchFiles();

const DAY_MS = 24 * 3_600_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);

const ca = await authority('ours');
const otherCa = await authority('another');
const server = await certificate('server', ca);
const right = await certificate('client', ca);
const validFrom = (from: number, to: number) =>
  certificate('client', ca, { notBeforeDate: daysFromNow(from), notAfterDate: daysFromNow(to) });
const issuedBy = async (name: string) => certificate('client', await authority(name));
const CLIENTS: [name: string, client: Certificate | undefined, refusal?: string][] = [
  ['the authority', right],
  ['the second authority', await certificate('client', otherCa)],
  ['no certificate', undefined, 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'],
  ['another authority', await issuedBy('unknown'), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['another authority with the same name', await issuedBy('ours'), 'ERR_SSL_'],
  ['itself', await certificate('client'), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['the authority, but expired', await validFrom(-2, -1), 'CERT_HAS_EXPIRED'],
  ['the authority, but not yet valid', await validFrom(1, 2), 'CERT_NOT_YET_VALID'],
];

const identity = async () => ({
  TLS_CERT_FILE: await file(server.cert),
  TLS_KEY_FILE: await file(server.key),
});

const agents: Agent[] = [];
afterAll(() => Promise.all(agents.map((agent) => agent.destroy())));

/** Sends a request over a new connection that trusts only our authority. */
async function statusOf(
  { url }: ServiceProcess,
  path: string,
  client?: Certificate,
  headers = {},
): Promise<number> {
  const agent = new Agent({ connect: { ca: ca.cert, ...client } });
  agents.push(agent);
  const { statusCode, body } = await request(`${url}${path}`, { dispatcher: agent, headers });
  await body.dump();
  return statusCode;
}

describe.each(SERVICES)('the $name service over TLS', (service) => {
  const running = sharedService(service, async () => ({
    ...(await identity()),
    API_TOKENS: 'token-0123456789abcdef',
  }));

  it('logs its https URL and answers', async () => {
    expect(running().url).toMatch(/^https:/);
    expect(await statusOf(running(), '/healthz')).toBe(200);
  });

  it('keeps connections alive', async () => {
    const agent = new Agent({ connect: { ca: ca.cert }, connections: 1 });
    agents.push(agent);
    let connections = 0;
    agent.on('connect', () => {
      connections += 1;
    });
    for (let count = 0; count < 3; count += 1) {
      const { headers, body } = await request(`${running().url}/healthz`, { dispatcher: agent });
      await body.dump();
      expect(headers.connection).toBe('keep-alive');
    }
    expect(connections).toBe(1);
  });

  it.each<[SecureVersion, boolean]>([
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ])('%s: %s', async (version, served) => {
    // Current clients offer TLS 1.1 only with a lowered security level.
    const ciphers = 'DEFAULT@SECLEVEL=0';
    const socket = connectTls({
      port: running().port,
      ca: ca.cert,
      servername: 'localhost',
      minVersion: version,
      maxVersion: version,
      ciphers,
    });
    const shaken = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    expect(shaken).toBe(served);
  });

  it.each([
    ['plain HTTP', 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['random bytes', '\0\x01\x02hello\r\n\r\n'],
  ])('%s gets no answer, and the next caller is served', async (_name, bytes) => {
    const answer = await exchange(running().port, bytes).catch(() => '');
    expect(answer).toBe('');
    expect(await statusOf(running(), '/healthz')).toBe(200);
  });

  it('survives a connection cut during the handshake', async () => {
    const socket = connectTcp(running().port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02]));
    socket.resetAndDestroy();
    expect(await statusOf(running(), '/healthz')).toBe(200);
  });

  it('answers bytes that are not an HTTP request with a problem over TLS', async () => {
    const socket = connectTls({ port: running().port, ca: ca.cert, servername: 'localhost' });
    socket.write('hello\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"MalformedRequest"');
  });

  it('logs a warning with the address for callers that OpenSSL refused, and exits 0', async () => {
    expect(await running().stop()).toEqual({ code: 0, signal: null });
    const warnings = logged(running(), 'warn');
    for (const reason of [
      'the caller sent plain HTTP, but this port accepts only HTTPS',
      /version/,
    ])
      expect(warnings).toContainEqual(
        expect.objectContaining({
          msg: 'TLS handshake failed',
          code: expect.stringMatching(/^ERR_SSL_/),
          reason: expect.stringMatching(reason),
          remote: '127.0.0.1',
        }),
      );
    for (const level of ['error', 'fatal']) expect(logged(running(), level)).toEqual([]);
    expect(running().output).not.toContain('PRIVATE KEY');
  });
});

describe.each(SERVICES)('the $name service with client certificates', (service) => {
  const running = sharedService(service, async () => ({
    ...(await identity()),
    TLS_CLIENT_CA_FILE: await file(`${ca.cert}\n${otherCa.cert}`),
    LOG_LEVEL: 'debug',
  }));

  it.each(CLIENTS)('checks who issued a certificate: %s', async (_name, client, refusal) => {
    const asked = statusOf(running(), '/healthz', client);
    if (refusal === undefined) expect(await asked).toBe(200);
    else await expect(asked).rejects.toThrow();
    expect(await statusOf(running(), '/healthz', right)).toBe(200);
  });

  it('logs a warning about refused callers', async () => {
    expect(await running().stop()).toEqual({ code: 0, signal: null });
    const reason = expect.stringMatching(/client certificate$|signature/);
    const common = { msg: 'TLS handshake failed', reason, remote: '127.0.0.1' };
    for (const refusal of CLIENTS.flatMap(([, , refusal]) => refusal ?? []))
      expect(logged(running(), 'warn')).toContainEqual(
        expect.objectContaining({ ...common, code: expect.stringContaining(refusal) }),
      );
    for (const level of ['error', 'fatal']) expect(logged(running(), level)).toEqual([]);
  });
});
