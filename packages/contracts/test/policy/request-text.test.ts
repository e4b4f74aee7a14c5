import { type ApprovalRequestClaims, requestText } from '@gatehouse/contracts';
import { expect, it } from 'vitest';

const claims = (memo: string) =>
  ({
    action: { method: 'POST', url: 'https://api.test/refunds', body: { memo } },
    check: {},
    rules: [],
    exp: 0,
  }) as unknown as ApprovalRequestClaims;

it.each([
  ['three spaces', 'a   b', 'a   b'],
  ['four spaces', 'a    b', 'a[4 spaces]b'],
  ['spaces of other widths', `a${'\u2003'.repeat(400)}b`, 'a[400 spaces]b'],
  ['a line break', 'a\nb', 'a\\nb'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
])('a value with %s stays on its line', (_name, memo, shown) => {
  const lines = requestText(claims(memo)).split('\n');
  expect(lines[1]).toBe(`body: {"memo":"${shown}"}`);
});
