import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import { type JsonDocument, NUMBERS } from './support/documents.ts';
import { startExecutor } from './support/executor.ts';
import { ALL_ANSWERS, CREDENTIALS, PLAIN, strays, tokenStray } from './support/fidelity.ts';
import { sliceOf } from './support/json-text.ts';
import { startSite } from './support/site.ts';
import { ANSWER_SIZES, SERIES, series } from './support/sized-documents.ts';
import { type ActionText, outcomeText } from './support/wire.ts';

// Contract section 3, "Pass-through", wherever an outcome shows a body.

const executor = shared(() => startExecutor({ clock: fakeClock() }));
const site = shared(startSite);

const LANES = Object.entries(CREDENTIALS).map(([name, headers]) => ({ name, headers }));
const SIZED = [...ALL_ANSWERS, ...SERIES.slice(0, 6)];
const quick = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

/** The body at a path of the outcome, where the outcome is this error. */
async function bodyOf(action: ActionText, error: string, ...path: string[]): Promise<string> {
  const answer = await outcomeText(executor(), action);
  if (!answer.startsWith(`{"outcome":"failure","error":"${error}"`))
    throw new Error(answer.slice(0, 200));
  return sliceOf(answer, ...path);
}

describe('the body of a failure is as the upstream wrote it', () => {
  it.each(LANES)('of 404, 422 and a POST answered by 500, with $name', async ({ headers }) => {
    for (const [status, method] of [
      [404, 'GET'],
      [422, 'POST'],
      [500, 'POST'],
    ] as const) {
      const arrived = async (document: JsonDocument) => {
        const url = site().serve({ status, body: document.text });
        return tokenStray(document, await bodyOf({ url, method, headers }, 'HttpFailure', 'body'));
      };
      expect(await strays(SIZED, arrived), `of ${status}`).toEqual([]);
    }
  });

  it.each(LANES)('in the last error of exhausted retries, with $name', async ({ headers }) => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({ status: 500, body: document.text });
      return tokenStray(
        document,
        await bodyOf({ url, headers }, 'RetriesExhausted', 'last_error', 'body'),
      );
    };
    expect(await strays(SIZED, arrived)).toEqual([]);
  });

  it.each(LANES)('where it fails a schema, with $name', async ({ headers }) => {
    const schema = { type: 'string', minLength: 1_000_000 };
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({ body: document.text });
      return tokenStray(
        document,
        await bodyOf({ url, headers, schema }, 'SchemaValidationFailed', 'body'),
      );
    };
    expect(await strays(SIZED, arrived)).toEqual([]);
  });

  it('and of a redirect that is not followed', async () => {
    const arrived = async (document: JsonDocument) => {
      const headers = { location: 'http://elsewhere.test/' };
      const url = site().serve({ status: 302, headers, body: document.text });
      return tokenStray(document, await bodyOf({ url }, 'HttpFailure', 'body'));
    };
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });
});

const success = async (url: string, headers = {}, method = 'GET') => {
  const answer = await outcomeText(executor(), { url, headers, method });
  if (!answer.startsWith('{"outcome":"success"')) throw new Error(answer.slice(0, 200));
  return sliceOf(answer, 'body');
};

describe('the body of a success is as the upstream wrote it', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', quick],
  ])('under %s', async (coding, compress) => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({
        headers: { 'content-encoding': coding },
        body: compress(document.text),
      });
      return tokenStray(document, await success(url, CREDENTIALS['a Bearer token']));
    };
    expect(await strays([...ALL_ANSWERS, ...SERIES], arrived)).toEqual([]);
  });

  it.each([
    'application/vnd.api+json',
    'application/problem+json',
    'application/json; charset=utf-8',
    'text/plain',
    'text/html; charset=utf-8',
    'application/octet-stream',
  ])('under the type %s', async (type) => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({ headers: { 'content-type': type }, body: document.text });
      return tokenStray(document, await success(url));
    };
    expect(await strays(PLAIN, arrived)).toEqual([]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('of %s', async (method) => {
    const arrived = async (document: JsonDocument) =>
      tokenStray(document, await success(site().serve({ body: document.text }), {}, method));
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });

  it('after failed attempts with other bodies', async () => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve(
        { status: 503, body: '{"n":1.0}' },
        { status: 429 },
        { body: document.text },
      );
      return tokenStray(document, await success(url));
    };
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });

  it.each([1, 7, 1_021])('in pieces of %i bytes, through characters and escapes', async (bytes) => {
    let text = '';
    await using upstream = await startUpstream((_request, response) => {
      const whole = Buffer.from(text);
      for (let at = 0; at < whole.length; at += bytes)
        response.write(whole.subarray(at, at + bytes));
      response.end();
    });
    const arrived = async (document: JsonDocument) => {
      text = document.text;
      return tokenStray(document, await success(upstream.origin, CREDENTIALS['many credentials']));
    };
    expect(
      await strays(
        PLAIN.filter((document) => document.text.length < 2_000 * bytes),
        arrived,
      ),
    ).toEqual([]);
  });
});

describe('the outcome around a body', () => {
  it.each(LANES)('is JSON in UTF-8 that means the same, with $name', async ({ headers }) => {
    const arrived = async ({ text }: JsonDocument) => {
      const response = await executor().execute({
        method: 'GET',
        url: site().serve({ body: text }),
        headers,
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const outcome = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      expect(outcome).toMatchObject({ outcome: 'success', status: 200, attempts: 1, history: [] });
      expect(outcome).not.toHaveProperty('redactions');
      expect(Object.keys(outcome)).toEqual([
        'outcome',
        'status',
        'headers',
        'body',
        'attempts',
        'history',
      ]);
      return JSON.stringify(outcome.body) === JSON.stringify(JSON.parse(text))
        ? undefined
        : 'means another thing';
    };
    expect(await strays(PLAIN, arrived)).toEqual([]);
  });

  it('is never more than twice the response plus 64 KiB', async () => {
    for (const [name, bytes] of ANSWER_SIZES) {
      const text = series(bytes);
      const answer = await outcomeText(executor(), { url: site().serve({ body: text }) });
      expect(answer.length, name).toBeLessThan(2 * text.length + 65_536);
      expect(answer.length, `${name}, without a second spelling`).toBeLessThan(
        Buffer.byteLength(text) + 2_000,
      );
    }
  });
});
