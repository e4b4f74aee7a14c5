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

const CREDENTIALS = [...AUTHORIZATIONS, ...KEY_CREDENTIALS];

describe.each(CREDENTIALS)('$name', (credential) => {
  const { headers, secrets, plain } = credential;
  const redactions = (shown: number) => (secrets.length === 0 ? undefined : secrets.length * shown);

  it('in JSON: 0 secrets shown, 0 other leaves damaged', async () => {
    const url = site().serve({ body: echoDocument(secrets, plain) });
    const answer = await outcomeText(executor(), { url, headers });
    expect(leaksOf(secrets, answer)).toEqual([]);
    expect(damage(echoDocument(hidden(credential), plain), sliceOf(answer, 'body'))).toEqual([]);
    expect(JSON.parse(answer).redactions).toBe(redactions(10));
  });

  it('in an error page', async () => {
    // A failure shows the beginning of a text; one page for each secret keeps within it.
    for (const part of [plain, ...secrets.map((secret) => [secret])]) {
      const own = part === plain ? [] : part;
      const url = site().serve({
        status: 404,
        body: echoPage(own, part === plain ? plain.slice(0, 4) : []),
      });
      const { body } = await executor().failure({ method: 'GET', url, headers });
      const wanted = echoPage(
        own.length === 0 ? [] : ['REDACTED'],
        part === plain ? plain.slice(0, 4) : [],
      );
      expect(body).toBe(wanted);
    }
  });

  it('in response headers', async () => {
    const url = site().serve({ headers: echoHeaders(secrets, plain), body: '{}' });
    const outcome = await executor().success({ method: 'GET', url, headers });
    expect(outcome.headers).toMatchObject(echoHeaders(hidden(credential), plain));
    expect(outcome.redactions).toBe(redactions(1));
  });

  it('in an echo of all request headers', async () => {
    const answer = await outcomeText(executor(), { url: mirror().origin, headers });
    expect(leaksOf(secrets, answer)).toEqual([]);
    const { body } = JSON.parse(answer);
    const arrived = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const harmless = arrived.filter(
      ([name, value]) =>
        name !== 'authorization' && !secrets.some((secret) => value?.includes(secret)),
    );
    expect(Object.keys(body.headers)).toEqual(
      expect.arrayContaining(arrived.map(([name]) => name)),
    );
    expect(body.headers).toMatchObject(Object.fromEntries(harmless));
  });
});
