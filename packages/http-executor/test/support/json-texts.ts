import fc from 'fast-check';

/** Member names, some of which need an escape in JSON or are longer in UTF-8. */
export const NAMES = ['id', 'name', 'items', 'é', 'a b', '"', 'toString'] as const;

const NUMBER = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('1.0', '-0', '1e400', '12345678901234567890', '0.10000000000000000001'),
);
const STRING = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud83d\\ude00"', `"${'\\u00e9\\n'.repeat(9)}"`, `"${'x'.repeat(300)}"`),
);
const BLANK = fc.constantFrom('', '', ' ', '\n ');

/** A JSON document as text, with blanks, exact digits and escapes. */
export const JSON_TEXT: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    NUMBER,
    STRING,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 8 }), BLANK)
      .map(([items, blank]) => `[${blank}${items.join(`${blank},`)}${blank}]`),
    fc
      .tuple(fc.dictionary(fc.constantFrom(...NAMES), tie('value')), BLANK)
      .map(([members, blank]) => {
        const written = Object.entries(members).map(
          ([name, value]) => `${JSON.stringify(name)}${blank}:${blank}${value}`,
        );
        return `{${blank}${written.join(`,${blank}`)}${blank}}`;
      }),
  ),
})).value;

type Reviver = (
  this: unknown,
  name: string,
  value: unknown,
  written: { source: string },
) => unknown;

const withDigits: Reviver = (_name, value, { source }) =>
  typeof value === 'number' ? `number ${source}` : value;

/** Parses JSON. Each number becomes a text with its digits. */
export const parsed = (text: string): unknown => JSON.parse(text, withDigits as never);
