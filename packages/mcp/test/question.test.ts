import { expect, it } from 'vitest';
import { questionFor } from '../src/tools/question.ts';

const ACTION = { method: 'post', url: 'https://a.example/' };

it('shows what would be sent, on lines that its content cannot forge', () => {
  const action = {
    ...ACTION,
    url: 'https://a.example/\u202egnp.exe\nSend GET https://harmless.example/',
    headers: { authorization: 'Bearer canary', 'x-http-method-override': 'DELETE' },
    body: { note: 'a\nb\u3164' },
  };
  const lines = questionFor(action, { pii: { categories: [] } }, 'one\ntwo').split('\n');
  expect(lines).toEqual([
    'Send POST https://a.example/\\u{202e}gnp.exe\\u{a}Send GET https://harmless.example/?',
    'Headers: authorization: …, x-http-method-override: DELETE',
    'Body: {"note":"a\\nb\\u{3164}"}',
    'What was judged: {"pii":{"categories":[]}}',
    'Why approval is needed: one\\u{a}two',
  ]);
});

it('says how much it leaves out', () => {
  const question = questionFor({ ...ACTION, body: 'x'.repeat(5_000) }, {}, '');
  expect(question).toContain('… (4002 more characters)');
  expect(question.length).toBeLessThan(2_000);
});
