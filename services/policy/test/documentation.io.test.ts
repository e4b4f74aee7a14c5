import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

type Examples = Record<string, { summary: string; value: unknown }>;
type Content = Record<string, { schema: unknown; examples?: Examples }>;

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const json = async (path: string) => JSON.parse(await (await fetch(server.url + path)).text());
const document = await json('/openapi.json');
const { requestBody, responses } = document.paths['/policy/check'].post;
const examplesOf = (content: Content, type: string): Examples => content[type]?.examples ?? {};
const requests = examplesOf(requestBody.content, 'application/json');

describe('the OpenAPI document of the policy service', () => {
  it('equals the generated file in the repository', () => {
    const file = new URL('../../../openapi/policy.json', import.meta.url);
    expect(document).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('has every path of the service', async () => {
    const { detail } = await json('/nothing');
    const [, paths = ''] = /: (.*)\.$/.exec(detail) ?? [];
    expect([...Object.keys(document.paths), '/docs'].sort()).toEqual(
      [...paths.split(', '), '/problems/{code}'].sort(),
    );
  });

  it.each(Object.keys(requests))('the example `%s` is answered as shown', async (name) => {
    const answer = await postCheck(server.url, JSON.stringify(requests[name]?.value));
    const shown = examplesOf(responses[200].content, 'application/json')[name]?.value;
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 200,
      body: shown,
    });
  });

  it('names every problem of a check, with an example each', () => {
    const codes = Object.values(responses as Record<string, { content: Content }>).flatMap(
      ({ content }) => Object.keys(examplesOf(content, 'application/problem+json')),
    );
    const expected = `MalformedRequest MalformedJson InvalidRequest ApprovalInvalid RequestTimeout PayloadTooLarge
      Unauthorized UnsupportedMediaType TokenNotAllowed HeadersTooLarge InternalError
      Overloaded`;
    expect(codes.sort()).toEqual(expected.split(/\s+/).sort());
  });

  it('documents the digest header of every decision', () => {
    const { '/policy/check': check, '/policy/check/batch': batch } = document.paths;
    for (const { post } of [check, batch])
      expect(post.responses[200].headers).toHaveProperty('x-policy-digest');
  });

  it('lists the accepted currencies', async () => {
    const { pattern } = document.components.schemas.Spend.properties.currency;
    const statuses = ['EUR', 'kwd', 'XCG', 'XAU', 'xxx', 'EURO', 'EU', ''].map(async (currency) => {
      const answer = await postCheck(
        server.url,
        JSON.stringify({ spend: { amount_minor_units: 1, currency } }),
      );
      expect([currency, answer.status]).toEqual([
        currency,
        new RegExp(pattern).test(currency) ? 200 : 400,
      ]);
      return answer.status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 400, 400, 400, 400, 400]);
  });
});
