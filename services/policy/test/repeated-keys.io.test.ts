import { createLogger } from '@gatehouse/service';
import { afterAll, describe, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';

const app = await buildApp({ logger: createLogger('policy', 'silent') });
const url = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());

const check = async (body: string) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/policy/check`, { method: 'POST', headers, body });
  return {
    status: response.status,
    ...((await response.json()) as { code?: string; detail?: string }),
  };
};

const LEGAL = '"legal":{"flags":["prohibited_content"]}';

describe('a member that is there twice', () => {
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
    expect(detail).toBe(`Correct \`${pointer}\`: it must be there only once.`);
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
