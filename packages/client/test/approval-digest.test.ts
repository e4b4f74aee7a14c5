import { expect, it } from 'vitest';
import { approvalDigest } from '../src/index.ts';

const ACTION = { method: 'POST', url: 'http://a.example/', body: { a: 1, b: { c: [1, 2], d: 2 } } };
const CHECK = { pii: { categories: [] }, legal: { flags: [] } };

it('an approval digest covers action, check and reason, but no request id or order of members', () => {
  const digest = approvalDigest({ action: ACTION, check: CHECK }, 'dear');
  expect(digest).toMatch(/^[\da-f]{64}$/);
  const { method, url } = ACTION;
  const reordered = { body: { b: { d: 2, c: [1, 2] }, a: 1 }, url, method };
  const { legal, pii } = CHECK;
  const gated = { check: { legal, request_id: 'other', pii }, action: reordered };
  expect(approvalDigest(gated, 'dear')).toBe(digest);
  const others: readonly (readonly [body: unknown, check?: object, reason?: string])[] = [
    [{ a: 1, b: { c: [2, 1], d: 2 } }],
    [{ a: '1', b: { c: [1, 2], d: 2 } }],
    [{ a: 1, b: { c: [1, 2], d: 2 }, e: null }],
    [JSON.parse('{ "a": 1, "b": { "c": [1, 2], "d": 2 }, "__proto__": {} }')],
    [JSON.stringify(ACTION.body)],
    [ACTION.body, {}],
    [ACTION.body, { ...CHECK, legal: { flags: ['requires_review'] } }],
    [ACTION.body, CHECK, 'dearer'],
  ];
  const digests = others.map(([body, check = CHECK, reason = 'dear']) =>
    approvalDigest({ action: { ...ACTION, body }, check }, reason),
  );
  expect(new Set([digest, ...digests]).size).toBe(1 + others.length);
});
