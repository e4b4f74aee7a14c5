import { expect, it } from 'vitest';
import { searchFor } from '../src/redact/redactor.ts';
import { scrubCutText, scrubText } from '../src/redact/scrub.ts';
import { scrubJson } from '../src/redact/scrub-json.ts';
import { processorMs } from './support/processor-time.ts';

it('takes time linear in the text, whatever caller and upstream bring', () => {
  const search = searchFor([`${'a'.repeat(8_191)}b`]);
  const texts = ['a'.repeat(1e6), '%61'.repeat(3e5), '\\'.repeat(1e6), '&amp;'.repeat(2e5)];
  const scrub = () => {
    scrubJson(searchFor(['0123456789abcdef']), `[${'"0123456789abcdef",'.repeat(50_000)}1]`);
    for (const text of texts) scrubText(search, text);
  };
  expect(processorMs(scrub)).toBeLessThan(5_000);
});

it('looks beside short secrets only so often', () => {
  const cookies = Array.from({ length: 10 }, (_, n) => 'a'.repeat(6 + n));
  const texts = ['a'.repeat(260_000), 'xaaaaaa '.repeat(32_000), '%xaaaaaa '.repeat(29_000)];
  const scrub = (text: string) => {
    try {
      scrubText(searchFor(cookies), text);
    } catch (error) {
      expect(error).toMatchObject({ name: 'TooManyEchoes' });
    }
  };
  const all = () => {
    for (const text of texts) scrub(text);
    scrubCutText(searchFor(['a'.repeat(8_000), 'a'.repeat(7_900)]), `x${'a'.repeat(65_534)}`);
  };
  expect(processorMs(all)).toBeLessThan(2_000);
});
