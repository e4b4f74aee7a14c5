import { expect, it } from 'vitest';
import { searchFor } from '../src/redact/redactor.ts';
import { scrubCutText, scrubText } from '../src/redact/scrub.ts';
import { scrubJson } from '../src/redact/scrub-json.ts';

it('takes time linear in the text, whatever caller and upstream bring', () => {
  const started = performance.now();
  const search = searchFor([`${'a'.repeat(8_191)}b`]);
  scrubJson(searchFor(['0123456789abcdef']), `[${'"0123456789abcdef",'.repeat(50_000)}1]`);
  for (const text of ['a'.repeat(1e6), '%61'.repeat(3e5), '\\'.repeat(1e6), '&amp;'.repeat(2e5)]) {
    scrubText(search, text);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

it('looks beside short secrets only so often', () => {
  const cookies = Array.from({ length: 10 }, (_, n) => 'a'.repeat(6 + n));
  const started = performance.now();
  for (const text of ['a'.repeat(260_000), 'xaaaaaa '.repeat(32_000), '%xaaaaaa '.repeat(29_000)]) {
    try {
      scrubText(searchFor(cookies), text);
    } catch (error) {
      expect(error).toMatchObject({ name: 'TooManyEchoes' });
    }
  }
  scrubCutText(searchFor(['a'.repeat(8_000), 'a'.repeat(7_900)]), `x${'a'.repeat(65_534)}`);
  expect(performance.now() - started).toBeLessThan(2_000);
});
