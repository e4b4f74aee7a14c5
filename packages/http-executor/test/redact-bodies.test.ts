import { expect, it } from 'vitest';
import { redactBase64, redactJson, redactText } from '../src/redact/body.ts';
import { searchFor } from '../src/redact/redactor.ts';
import { scrubBytes, scrubCutText, scrubText } from '../src/redact/scrub.ts';

const search = searchFor(['abcdef', 'ghijkl']);
const wide = (text: string) => Buffer.from(text, 'utf16le').toString('latin1');

it('what holds no secret is the same bytes', () => {
  const bytes = Buffer.from('["a\\n",1.00,"\xe4"]');
  expect(redactJson(bytes, [], search).bytes).toBe(bytes);
  expect(redactJson(bytes, [], undefined).bytes).toBe(bytes);
  expect(scrubBytes(search, bytes).bytes).toBe(bytes);
});

it('violations stay where nothing is searched for', () => {
  const violations = [{ pointer: '/abcdef', message: 'is abcdef' }];
  for (const redact of [redactJson, redactBase64])
    expect(redact(Buffer.from('1'), violations, undefined)).toMatchObject({ violations });
  expect(redactText('1', violations, undefined)).toMatchObject({ violations });
  const clean = { violations: [{ pointer: '/REDACTED', message: 'is REDACTED' }], redactions: 2 };
  expect(redactText('1', violations, search)).toMatchObject(clean);
});

it('a violation of control characters stays below twice its length as JSON', () => {
  const controls = (plain: number) => '\x01'.repeat(60) + 'x'.repeat(plain);
  const shown = (message: string) =>
    redactText('1', [{ pointer: '', message }], undefined).violations[0]?.message;
  expect(JSON.stringify(controls(238))).toHaveLength(600);
  expect(shown(controls(238))).toBe(controls(238));
  expect(shown(controls(239))).toBe(`${controls(0).slice(0, 49)}…`);
});

it.each([
  [`${wide('x abcdef ghijkl')} abcdef`],
  [`${wide('x ghijkl abcdef')} ghijkl`],
  [`abcdef${wide(' ghijkl abcdef ')}ghijkl`],
  [`ghijkl ${wide('abcdef ')} abcdef ${wide('ghijkl')}`],
])('secrets between NULs and others are found in any order: %j', (text) => {
  const shown = (scrubbed: string) => scrubbed.replaceAll('\0', '');
  const expected = shown(text).replaceAll(/abcdef|ghijkl/g, 'REDACTED');
  const redactions = expected.split('REDACTED').length - 1;
  const scrubbed = scrubText(search, text);
  expect([shown(scrubbed.text), scrubbed.redactions]).toEqual([expected, redactions]);
  const bytes = scrubBytes(search, Buffer.from(`${text} \xff`, 'latin1'));
  expect(shown(bytes.bytes.toString('latin1'))).toBe(`${expected} \xff`);
  expect(bytes.redactions).toBe(redactions);
});

it('the beginning of a secret between NULs goes from the end of a cut text', () => {
  expect(scrubCutText(search, `see ${wide('abc')}`).text).toBe('see ');
  expect(scrubCutText(search, `see ${wide('x y')}`).text).toBe(`see ${wide('x y')}`);
  expect(scrubCutText(search, `${wide('see ')}abc`).text).toBe(wide('see '));
});
