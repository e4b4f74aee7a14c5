import { shared } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENCODING_NAMES, encode } from './support/encodings.ts';
import { startExecutor } from './support/executor.ts';
import { jsonText } from './support/json-arbitraries.ts';
import { bare, bytesOf, type Leaf, leavesOf, sliceOf } from './support/json-text.ts';
import { leaksOf } from './support/leaks.ts';
import { type Held, heldSecret, longSecret, resembling } from './support/secret-arbitraries.ts';
import { startSite } from './support/site.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Redaction: echoes", on documents that nobody thought of.

const executor = shared(startExecutor);
const site = shared(startSite);

const answerTo = (body: string, { headers }: Held, status = 200) =>
  outcomeText(executor(), { url: site().serve({ body, status }), headers });

/** Strings as a reader of JSON has them, and as they are written. */
const textsOf = (text: string) =>
  leavesOf(text).flatMap(([, token]) =>
    token.startsWith('"') ? [String(JSON.parse(token)), token] : [token],
  );
const holds = ({ secret }: Held, text: string) =>
  leaksOf([secret], textsOf(text).join('\n')).length > 0 || textsOf(text).includes(secret);

const withDocument = <T extends Held>(holding: fc.Arbitrary<T>) =>
  holding.chain((held) => fc.tuple(fc.constant(held), jsonText(resembling(held))));

describe('a document without the secret', () => {
  it('comes out byte for byte, whatever the credential, of a success and of a failure', async () => {
    const property = fc.asyncProperty(
      withDocument(heldSecret),
      fc.constantFrom(200, 404),
      async ([held, text], status) => {
        fc.pre(!holds(held, text));
        const answer = await answerTo(text, held, status);
        expect(bare(sliceOf(answer, 'body'))).toBe(bytesOf(bare(text)));
        expect(JSON.parse(answer)).not.toHaveProperty('redactions');
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });

  it('comes out character by character where it is no JSON', async () => {
    const property = fc.asyncProperty(withDocument(heldSecret), async ([held, text]) => {
      const page = `No: ${textsOf(text)
        .filter((part) => !part.includes('\0') && part.isWellFormed())
        .join(' | ')}`.slice(0, 1_500);
      fc.pre(leaksOf([held.secret], page).length === 0);
      const headers = { 'content-type': 'text/plain; charset=utf-8' };
      const url = site().serve({ status: 404, headers, body: page });
      const failure = await executor().failure({ method: 'GET', url, headers: held.headers });
      expect(failure.body).toBe(page);
      expect(failure).not.toHaveProperty('redactions');
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

interface Planted {
  readonly held: Held;
  readonly encoding: string;
  readonly before: string;
  readonly behind: string;
  readonly asKey: boolean;
}

/** A text around an echo: ends with a mark, so that a short secret stands by itself. */
const around = fc.stringMatching(/^[a-z :;,.(-]{0,12}$/);
const planted: fc.Arbitrary<Planted> = fc.record({
  held: heldSecret,
  encoding: fc.constantFrom(...ENCODING_NAMES),
  before: around.map((text) => `${text}<`),
  behind: around.map((text) => `>${text}`),
  asKey: fc.boolean(),
});

const withDocuments = planted.chain((plan) =>
  fc.tuple(
    fc.constant(plan),
    fc.array(jsonText(resembling(plan.held)), { minLength: 1, maxLength: 4 }),
  ),
);

/**
 * A list of the documents, and behind each of them the planted text, as a value or as a
 * key.
 */
function listOf(documents: readonly string[], text: string, asKey: boolean): string {
  const string = JSON.stringify(text);
  const shown = asKey ? `{${string}:1.0}` : string;
  return `[${documents.map((document) => `${bare(document)},${shown}`).join()}]`;
}

/** [what was wanted, what came] for each leaf that changed. */
function changes(before: string, after: string): [Leaf, Leaf | undefined][] {
  const got = leavesOf(after);
  return leavesOf(before).flatMap((leaf, index): [Leaf, Leaf | undefined][] =>
    leaf[1] === got[index]?.[1] ? [] : [[leaf, got[index]]],
  );
}

describe('a secret that is planted', () => {
  it('is all that changes: exactly those strings, and no shape and no number', async () => {
    const property = fc.asyncProperty(
      withDocuments,
      async ([{ held, encoding, before, behind, asKey }, documents]) => {
        fc.pre(!documents.some((document) => holds(held, document)));
        const text = listOf(documents, `${before}${encode(encoding, held.secret)}${behind}`, asKey);
        const answer = await answerTo(text, held);
        const body = Buffer.from(sliceOf(answer, 'body'), 'latin1').toString();
        expect(leavesOf(body)).toHaveLength(leavesOf(text).length);
        const changed = changes(text, body);
        expect(changed).toHaveLength(documents.length);
        for (const [, leaf] of changed) {
          const shown = String(JSON.parse(leaf?.[1] ?? '""'));
          expect(
            shown.startsWith(before) && shown.endsWith(behind) && shown.includes('REDACTED'),
            shown,
          ).toBe(true);
        }
        expect(leaksOf([held.secret], textsOf(body).join('\n'))).toEqual([]);
        expect(JSON.parse(answer).redactions).toBe(documents.length);
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });

  it('is found within words and in any case when it is long', async () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9_]{0,6}$/);
    const spell = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.toLowerCase(),
    );
    const property = fc.asyncProperty(
      longSecret,
      word,
      word,
      spell,
      async (secret, before, behind, spelled) => {
        const held = { headers: { authorization: `Bearer ${secret}` }, secret, plain: [] };
        const answer = await answerTo(
          JSON.stringify({ a: [`${before}${spelled(secret)}${behind}`], n: 1 }),
          held,
        );
        expect(JSON.parse(answer)).toMatchObject({
          body: { a: [`${before}REDACTED${behind}`], n: 1 },
          redactions: 1,
        });
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('numbers', () => {
  it('change only where they are the whole secret', async () => {
    const secret = fc.stringMatching(/^[1-9]\d{5,24}$/);
    const more = fc.stringMatching(/^[1-9]\d{0,4}$/);
    const property = fc.asyncProperty(secret, more, async (digits, extra) => {
      const near = [
        `${extra}${digits}`,
        `${digits}${extra}`,
        `0.${digits}`,
        `${digits}.5`,
        `-${digits}`,
        `${digits}e5`,
      ];
      const answer = await answerTo(`[${[digits, ...near].join()}]`, {
        headers: { 'x-api-key': digits },
        secret: digits,
        plain: [],
      });
      expect(sliceOf(answer, 'body')).toBe(`["REDACTED",${near.join()}]`);
      expect(JSON.parse(answer).redactions).toBe(1);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
