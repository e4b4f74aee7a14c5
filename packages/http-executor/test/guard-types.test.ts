import { expect, it } from 'vitest';
import { guard } from '../src/guard/guard.ts';
import { readBody } from '../src/guard/request-body.ts';
import { sandbox } from './support/stages.ts';

const MIB = 1024 * 1024;
const guardAction = (action: Parameters<typeof guard>[0], by = sandbox) => guard(action, by, MIB);

const DEEP = '['.repeat(300) + ']'.repeat(300);

// Contract section 3, "Request body": it is sent in UTF-8.
it.each<[contentType: string | undefined, body: unknown, sent: string | undefined]>([
  [undefined, 'grün', '"grün"'],
  ['text/plain', 'grün', 'grün'],
  ['text/plain', '\ufeffgrün', '\ufeffgrün'],
  ['text/plain; charset=utf-8', 'grün', 'grün'],
  ['text/plain; charset=UTF8', 'grün', 'grün'],
  ['text/plain; charset=UTF8', '\ufeffgrün', '\ufeffgrün'],
  ['text/plain; charset=utf-8', '\ufeffgrün', '\ufeffgrün'],
  ['text/plain; charset=x-utf-8', 'green', undefined],
  ['text/plain; charset=utf-80', 'green', undefined],
  ['text/plain; charset=iso-8859-1', 'green', 'green'],
  ['text/plain; charset=iso-8859-1', 'grün', undefined],
  ['application/json; charset=iso-8859-1', { a: 'grün' }, undefined],
  ['application/json; charset=iso-8859-1', { a: 'green' }, '{"a":"green"}'],
])('under %s, %j', (contentType, body, sent) => {
  const read = readBody(body, contentType, MIB);
  if (sent !== undefined) expect(read).toEqual({ text: sent });
  else
    expect(read).toMatchObject({
      violation: { message: expect.stringMatching(/^is sent in UTF-8, which/) },
    });
});

it('a body that is no JSON is told before its charset', () => {
  expect(readBody(JSON.parse(DEEP), 'application/json; charset=iso-8859-1', MIB)).toMatchObject({
    violation: { message: 'must nest at most 256 levels deep' },
  });
});

it.each([
  [null, 'application/json'],
  ['json', 'application/json'],
  ['text', '*/*'],
  ['base64', '*/*'],
  ['auto', 'application/json, */*;q=0.9'],
] as const)('a response_type of %s accepts %s', (response_type, accept) => {
  const action = { method: 'GET', url: 'https://a.test/', response_type } as const;
  expect(guardAction(action, sandbox).headers.get('accept')).toBe(accept);
});
