import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeForm } from '../src/guard/form.ts';

const text = fc.string({ unit: 'grapheme' });
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const fields = fc.dictionary(text, fc.oneof(scalar, fc.array(scalar)));

/** JSON with every character outside of ASCII escaped. */
const escaped = (json: string) =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

it('a form is what URLSearchParams writes', () => {
  fc.assert(
    fc.property(fields, (object) => {
      const expected = new URLSearchParams();
      for (const [name, value] of Object.entries(object))
        for (const item of [value].flat()) expected.append(name, String(item));
      const json = JSON.stringify(object);
      for (const written of [json, escaped(json)])
        expect(writeForm(Buffer.from(written), 1e6)).toEqual({ text: expected.toString() });
    }),
  );
});
