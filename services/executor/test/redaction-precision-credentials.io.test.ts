import { type Handler, reply, shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { echoDocument, echoHeaders, echoPage, hidden } from './support/echoes.ts';
import { startExecutor } from './support/executor.ts';
import { damage, sliceOf } from './support/json-text.ts';
import { KEY_CREDENTIALS } from './support/key-credentials.ts';
import { leaksOf } from './support/leaks.ts';
import { AUTHORIZATIONS } from './support/service-credentials.ts';
import { startSite } from './support/site.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Redaction: echoes": of each credential, the secrets are scrubbed,
// and nothing else is.

const executor = shared(startExecutor);
const site = shared(startSite);

const echo: Handler = (request, response) => {
  const headers = request.headers;
  reply(response, {
    headers: { 'x-echo': JSON.stringify(headers) },
    body: { headers, text: JSON.stringify(headers) },
  });
};
const mirror = shared(() => startUpstream(echo));

/** Secrets of fewer than eight characters are left. */
const CREDENTIALS = [...AUTHORIZATIONS, ...KEY_CREDENTIALS].map((credential) => ({
  ...credential,
  secrets: credential.secrets.filter(({ length }) => length >= 8),
}));

const redactions = (secrets: readonly string[], shown: number) =>
  secrets.length === 0 ? undefined : secrets.length * shown;

describe('of every credential, the secrets are scrubbed, and nothing else is', () => {
  it('in JSON: 0 secrets shown, 0 other leaves damaged', async () => {
    for (const credential of CREDENTIALS) {
      const { name, headers, secrets, plain } = credential;
      const url = site().serve({ body: echoDocument(secrets, plain) });
      const answer = await outcomeText(executor(), { url, headers });
      const wanted = echoDocument(hidden(credential), plain);
      expect(leaksOf(secrets, answer), name).toEqual([]);
      expect(damage(wanted, sliceOf(answer, 'body')), name).toEqual([]);
      expect(JSON.parse(answer).redactions, name).toBe(redactions(secrets, 10));
    }
  });

  it('in an error page', async () => {
    for (const { name, headers, secrets, plain } of CREDENTIALS) {
      // A failure shows the beginning of a text; one page for each secret keeps within it.
      for (const secret of secrets) {
        const url = site().serve({ status: 404, body: echoPage([secret], []) });
        const { body } = await executor().failure({ method: 'GET', url, headers });
        expect(body, name).toBe(echoPage(['REDACTED'], []));
      }
      const harmless = echoPage([], plain.slice(0, 4));
      const url = site().serve({ status: 404, body: harmless });
      const { body } = await executor().failure({ method: 'GET', url, headers });
      expect(body, name).toBe(harmless);
    }
  });

  it('in response headers', async () => {
    for (const credential of CREDENTIALS) {
      const { name, headers, secrets, plain } = credential;
      const url = site().serve({ headers: echoHeaders(secrets, plain), body: '{}' });
      const outcome = await executor().success({ method: 'GET', url, headers });
      expect(outcome.headers, name).toMatchObject(echoHeaders(hidden(credential), plain));
      expect(outcome.redactions, name).toBe(redactions(secrets, 1));
    }
  });

  it('in an echo of all request headers', async () => {
    for (const { name, headers, secrets } of CREDENTIALS) {
      const answer = await outcomeText(executor(), { url: mirror().origin, headers });
      const { body } = JSON.parse(answer);
      const arrived = Object.entries(headers).map(([each, value]) => [each.toLowerCase(), value]);
      const names = arrived.map(([each]) => each);
      const harmless = arrived.filter(
        ([each, value]) =>
          each !== 'authorization' && !secrets.some((secret) => value?.includes(secret)),
      );
      expect(leaksOf(secrets, answer), name).toEqual([]);
      expect(Object.keys(body.headers), name).toEqual(expect.arrayContaining(names));
      expect(body.headers, name).toMatchObject(Object.fromEntries(harmless));
    }
  });
});
