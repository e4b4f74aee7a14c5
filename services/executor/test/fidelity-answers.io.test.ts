import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { arrays, type JsonDocument, MAX_DEPTH, objects } from './support/documents.ts';
import { startExecutor } from './support/executor.ts';
import {
  ALL_ANSWERS,
  byteStray,
  CREDENTIALS,
  DISPUTED,
  SCHEMAS,
  strays,
  tokenStray,
  UNDISPUTED,
} from './support/fidelity.ts';
import { sliceOf } from './support/json-text.ts';
import { startSite } from './support/site.ts';
import { BULKY, SERIES } from './support/sized-documents.ts';
import { outcomeText } from './support/wire.ts';

// Contract section 3, "Pass-through": every digit, member, repeated member and their
// order as the upstream wrote them.

const executor = shared(startExecutor);
const site = shared(startSite);

const fetchBody = async (text: string | Uint8Array, headers = {}, schema?: object) => {
  const answer = await outcomeText(executor(), {
    url: site().serve({ body: text }),
    headers,
    schema,
  });
  if (!answer.startsWith('{"outcome":"success"')) throw new Error(answer.slice(0, 200));
  return sliceOf(answer, 'body');
};

const LANES = Object.entries(CREDENTIALS).flatMap(([credential, headers]) =>
  Object.entries(SCHEMAS).map(([schemaName, schema]) => ({
    credential,
    headers,
    schemaName,
    schema,
  })),
);

describe('an answer reaches the caller as the upstream wrote it', () => {
  it('in more than 60 documents', () => {
    expect(new Set(ALL_ANSWERS.map(({ text }) => text)).size).toBeGreaterThan(60);
  });

  it.each(LANES)(
    'token by token, with $credential and $schemaName',
    async ({ headers, schema }) => {
      const arrived = async (document: JsonDocument) =>
        tokenStray(document, await fetchBody(document.text, headers, schema));
      expect(await strays(schema === undefined ? ALL_ANSWERS : UNDISPUTED, arrived)).toEqual([]);
    },
  );

  it.each(Object.entries(CREDENTIALS))('byte by byte, with %s', async (_name, headers) => {
    const arrived = async (document: JsonDocument) =>
      byteStray(document, await fetchBody(document.text, headers));
    expect(await strays(ALL_ANSWERS, arrived)).toEqual([]);
  });

  it.each(LANES)('of any size, with $credential and $schemaName', async ({ headers, schema }) => {
    const arrived = async (document: JsonDocument) =>
      tokenStray(document, await fetchBody(document.text, headers, schema));
    // The longest ones once for each credential alone: a schema has a budget of time.
    expect(
      await strays(schema === undefined ? [...SERIES, ...BULKY] : SERIES.slice(0, 6), arrived),
    ).toEqual([]);
  });

  it('behind a byte order mark, which is not part of the document', async () => {
    const arrived = async (document: JsonDocument) =>
      tokenStray(document, await fetchBody(`\ufeff${document.text}`));
    expect(await strays(UNDISPUTED, arrived)).toEqual([]);
  });

  it('and null where there are no bytes', async () => {
    expect(await fetchBody('')).toBe('null');
  });
});

describe('with a schema, what validators would disagree on fails the check', () => {
  const lanes = LANES.filter(({ schema }) => schema !== undefined);

  it.each(lanes)(
    'and is shown as it came, with $credential and $schemaName',
    async ({ headers, schema }) => {
      const arrived = async (document: JsonDocument) => {
        const answer = await outcomeText(executor(), {
          url: site().serve({ body: document.text }),
          headers,
          schema,
        });
        const { error, violations } = JSON.parse(answer);
        if (error !== 'SchemaValidationFailed' || violations.length === 0)
          return answer.slice(0, 100);
        return tokenStray(document, sliceOf(answer, 'body'));
      };
      expect(await strays(DISPUTED, arrived)).toEqual([]);
    },
  );

  it('and its violations say where', async () => {
    const text = '{"list":[{"n":1},{"n":1e400}]}';
    const action = { method: 'GET', url: site().serve({ body: text }), response_schema: {} };
    expect(await executor().failure(action)).toMatchObject({
      error: 'SchemaValidationFailed',
      violations: [{ path: '/list/1/n', message: expect.any(String) }],
    });
  });
});

describe('levels of nesting', () => {
  it.each([
    ['lists', arrays],
    ['objects', objects],
  ])(`${MAX_DEPTH + 1} of %s are no JSON to the executor`, async (_name, nest) => {
    for (const headers of Object.values(CREDENTIALS)) {
      const body = nest(MAX_DEPTH + 1);
      const failure = await executor().failure({
        method: 'GET',
        url: site().serve({ body }),
        headers,
      });
      expect(failure).toMatchObject({ error: 'ResponseNotJson', status: 200 });
      const refused = await executor().failure({
        method: 'GET',
        url: site().serve({ status: 404, body }),
        headers,
      });
      expect(refused).toMatchObject({
        error: 'HttpFailure',
        status: 404,
        body: expect.any(String),
      });
    }
  });
});
