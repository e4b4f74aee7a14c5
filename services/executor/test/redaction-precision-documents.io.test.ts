import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { DAMAGE_CASES } from './support/damage-cases.ts';
import { startExecutor } from './support/executor.ts';
import { ALL_ANSWERS, CREDENTIALS } from './support/fidelity.ts';
import { bare, bytesOf, damage, leavesOf, sliceOf } from './support/json-text.ts';
import { leaksOf } from './support/leaks.ts';
import { startSite } from './support/site.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Redaction: echoes", on answers as services give them: damaged
// leaves 0, secrets shown 0.

const executor = shared(startExecutor);
const site = shared(startSite);

const answerTo = (body: string, headers: Readonly<Record<string, string>>, more: object = {}) =>
  outcomeText(executor(), { url: site().serve({ body }), headers, ...more });

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Puts a leaf in front of a document, whatever its layout. */
const planted = (text: string, echo: string) =>
  text.replace('{', `{"debug":${JSON.stringify(`sent <${echo}>`)},`);

describe('a document in which names of credentials stand', () => {
  it('is left as it is, leaf by leaf', async () => {
    for (const { name, headers, text } of DAMAGE_CASES) {
      const answer = await answerTo(text, headers);
      expect(damage(text, sliceOf(answer, 'body')), name).toEqual([]);
      expect(bare(sliceOf(answer, 'body')), name).toBe(bytesOf(bare(text)));
      expect(JSON.parse(answer), name).not.toHaveProperty('redactions');
    }
  });

  it('is left as it is in an error', async () => {
    for (const { name, headers, text } of DAMAGE_CASES) {
      const url = site().serve({ status: 422, body: text });
      const answer = await outcomeText(executor(), { url, headers });
      expect(damage(text, sliceOf(answer, 'body')), name).toEqual([]);
    }
  });

  it('is left as its schema has passed it', async () => {
    for (const { name, headers, text } of DAMAGE_CASES) {
      const schema = { const: JSON.parse(text) };
      const answer = await answerTo(text, headers, { schema });
      expect(JSON.parse(answer), name).toMatchObject({ outcome: 'success' });
      expect(damage(text, sliceOf(answer, 'body')), name).toEqual([]);
    }
  });

  it('changes in the one leaf in which a secret is planted', async () => {
    for (const { name, headers, text, secret } of DAMAGE_CASES.flatMap(({ secrets, ...each }) =>
      // Shorter ones are left.
      secrets.filter(({ length }) => length >= 8).map((secret) => ({ ...each, secret })),
    )) {
      for (const echo of [secret, encodeURIComponent(secret), base64(secret)]) {
        const answer = await answerTo(planted(text, echo), headers);
        expect(leaksOf([secret], answer), name).toEqual([]);
        expect(damage(planted(text, 'REDACTED'), sliceOf(answer, 'body')), name).toEqual([]);
        expect(JSON.parse(answer).redactions, name).toBe(1);
      }
    }
  });
});

describe('a GitHub repository', () => {
  it('is large, and full of its owner', () => {
    const { text = '' } = DAMAGE_CASES[0] ?? {};
    const leaves = leavesOf(text).filter(([place]) => !place.startsWith('key '));
    expect(leaves.length).toBeGreaterThan(450);
    expect(leaves.filter(([, token]) => token.includes('octocat')).length).toBeGreaterThan(200);
  });
});

const PAGE = `<html><head><title>403 Forbidden</title></head><body>
<p>User <b>octocat</b> of realm http-auth@example.org may not read /octocat/Hello-World &amp; more.</p>
<p>Time zone Europe/Berlin, order-1001, elasticsearch, postgresql, 1712345678.</p></body></html>`;

describe('an error page', () => {
  it('without a secret is left as it is', async () => {
    const page = { status: 403, headers: { 'content-type': 'text/html' }, body: PAGE };
    for (const { name, headers } of DAMAGE_CASES) {
      const url = site().serve(page);
      const failure = await executor().failure({ method: 'GET', url, headers });
      expect(failure.body, name).toBe(PAGE);
      expect(failure, name).not.toHaveProperty('redactions');
    }
  });
});

describe('response headers', () => {
  const shown = {
    location: 'https://api.github.com/repos/octocat/Hello-World?order=order-1001',
    link: '</orders/order-1001?page=2>; rel="next"',
    'x-github-user': 'octocat',
    'x-cluster': 'elasticsearch',
    'www-authenticate': 'Digest realm="http-auth@example.org", algorithm=SHA-256, qop="auth-int"',
    'x-time-zone': 'Europe/Berlin',
    'x-count': '1712345678',
  };

  it('without a secret are left as they are', async () => {
    for (const { name, headers } of DAMAGE_CASES) {
      const url = site().serve({ headers: shown, body: '1' });
      const outcome = await executor().success({ method: 'GET', url, headers });
      expect(outcome.headers, name).toMatchObject(shown);
      expect(outcome, name).not.toHaveProperty('redactions');
    }
  });
});

describe('a secret that is planted beside any document', () => {
  const lanes = [
    ['a Bearer token', 'Zq7-pX2vK9mW4tR8yB1nC6dF3gH5jL0s'],
    ['many credentials', '777666555444'],
    ['many credentials', 'zebra-crossing-91'],
    ['many credentials', 'zk48Qx-9'],
  ] as const;
  /** One level more would be too deep. */
  const documents = ALL_ANSWERS.filter(({ name }) => !name.startsWith('256'));

  it.each(lanes)('is all that changes, with %s: %s', async (credential, secret) => {
    const found: string[] = [];
    for (const { name, text } of documents) {
      const body = `{"debug":"<${secret}>","document":${bare(text)}}`;
      const answer = await answerTo(body, CREDENTIALS[credential] ?? {});
      const strays = damage(bytesOf(body.replace(secret, 'REDACTED')), sliceOf(answer, 'body'));
      if (strays.length > 0) found.push(`${name}: ${strays.at(-1)}`);
    }
    expect(found).toEqual([]);
  });
});
