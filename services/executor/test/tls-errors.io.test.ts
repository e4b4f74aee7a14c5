import { selfSigned, shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { startExecutor } from './support/executor.ts';
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
