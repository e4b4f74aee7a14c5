import { afterAll, describe, expect, it } from 'vitest';
import { postCheck, startPolicy } from './support/policy-server.ts';

const server = await startPolicy();
afterAll(() => server[Symbol.asyncDispose]());

const check = async (body: string) => {
  const response = await postCheck(server.url, body);
  const { code, detail } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail };
};

const LEGAL = '"legal":{"flags":["prohibited_content"]}';

describe('a repeated member', () => {
  it.each([
    ['a section', `{${LEGAL},"legal":{"flags":[]}}`, '/legal'],
    ['a section, escaped', `{${LEGAL},"leg\\u0061l":{"flags":[]}}`, '/legal'],
    [
      'a field, with blanks',
      '{"spend":{"amount_minor_units":90000, "currency" : "EUR","amount_minor_units"\n:1}}',
      '/spend/amount_minor_units',
    ],
    [
      'one after a nested object',
      `{"pii":{"categories":["other"]},${LEGAL},"pii":{"categories":[]}}`,
      '/pii',
    ],
  ])('is refused: %s', async (_name, body, pointer) => {
    const { status, code, detail } = await check(body);
    expect({ status, code }).toEqual({ status: 400, code: 'MalformedJson' });
    expect(detail).toBe(`Correct \`${pointer}\`: it must appear only once.`);
  });

  it.each([
    ['the same name in two objects', `{"pii":{"categories":[]},${LEGAL}}`],
    [
      'a name inside a string',
      '{"request_id":"\\"legal\\":1,\\"legal\\":2 {[","legal":{"flags":[]}}',
    ],
    ['the same string as a value', '{"legal":{"flags":["other","other"]}}'],
  ])('is not %s', async (_name, body) => {
    expect((await check(body)).status).toBe(200);
  });
});
