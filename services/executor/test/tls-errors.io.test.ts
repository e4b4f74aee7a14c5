import { selfSigned, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
import { startRawUpstream } from './support/raw-upstream.ts';
import { startTlsUpstream } from './support/tls-upstream.ts';

const certificate = await selfSigned('localhost');
const executor = shared(() =>
  startExecutor({ clock: fakeClock(), connect: { ca: certificate.cert } }),
);

describe('an error of TLS once the request was sent', () => {
  it('breaks the connection at once, and the request may have been acted on', async () => {
    const record = Buffer.concat([Buffer.from([23, 3, 3, 0, 40]), Buffer.alloc(40, 7)]);
    await using upstream = await startTlsUpstream(certificate, (wire) => wire.write(record));
    const failure = await executor().failure({
      method: 'POST',
      url: `https://localhost:${upstream.port}/`,
    });
    expect(failure).toMatchObject({
      error: 'ConnectFailure',
      history: [{ classification: 'connect' }],
    });
    expect(failure.message).toMatch(/broke off .*\. It may have acted on the request\.$/);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    '%s that asks for a certificate is not tried again',
    async (maxVersion) => {
      const options = {
        ...certificate,
        requestCert: true,
        rejectUnauthorized: true,
        ca: certificate.cert,
        maxVersion,
      };
      await using upstream = await startTlsUpstream(options, () => {});
      const failure = await executor().failure({
        method: 'GET',
        url: `https://localhost:${upstream.port}/`,
      });
      expect(failure).toMatchObject({ error: 'ConnectFailure', attempts: 1, history: [] });
      expect(failure.message).toMatch(/Another attempt will not help\.$/);
    },
  );
});

describe('the scheme of another port', () => {
  const told = async (url: string) => (await executor().failure({ method: 'POST', url })).message;

  it('https to one that speaks http', async () => {
    await using upstream = await startUpstream();
    expect(await told(`https://localhost:${upstream.port}/`)).toMatch(
      /does not answer in TLS \(ERR_SSL_WRONG_VERSION_NUMBER\); its port may expect http\. Nothing was sent\./,
    );
  });

  it('http to one that speaks https: by closing, or with an alert of TLS', async () => {
    await using closing = await startUpstream({}, certificate);
    await using alert = await startRawUpstream({
      asked: (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 70])),
    });
    expect(await told(`http://localhost:${closing.port}/`)).toMatch(
      /broke off \(\w+\) before any answer; a port that expects https does that\. It may have/,
    );
    expect(await told(`${alert.origin}/`)).toMatch(
      /answers in TLS; its port expects https\. It may/,
    );
  });
});
