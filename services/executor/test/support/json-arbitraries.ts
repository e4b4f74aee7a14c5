import fc from 'fast-check';

/** JSON as text, written in as many ways as there are. */

const blanks = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n', '  ');

const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,24})$/);
const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,20}$/));
const exponent = fc.oneof(
  fc.constant(''),
  fc.constant(''),
  fc.stringMatching(/^[eE][+-]?\d{1,3}$/),
);
const numberText = fc
  .tuple(fc.constantFrom('', '-'), digits, fraction, exponent)
  .map((parts) => parts.join(''));

const ESCAPES = [
  '\\n',
  '\\t',
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\u0000',
  '\\u00e9',
  '\\u00E9',
  '\\ud83d\\ude00',
  '\\ud800',
];
const OTHERS = [
  'é',
  '😀',
  '\u2028',
  '\ufeff',
  '語',
  '%41',
  '%2f',
  '&amp;',
  '+',
  '=',
  '~1',
  '<b>',
  "'",
  '\u007f',
];
const WORDS = [
  'user',
  'octocat',
  'Bearer',
  'Basic',
  'token',
  'REDACTED',
  'https://api.github.com/',
  'Zm9vYmFy',
  'a',
  ' ',
];
const piece = fc.oneof(
  fc.stringMatching(/^[\w .:;,-]{0,8}$/),
  fc.constantFrom(...ESCAPES),
  fc.constantFrom(...OTHERS),
  fc.constantFrom(...WORDS),
);

/**
 * A string as it is written, quotes included; now and then one of `seeds`, between
 * blanks.
 */
const stringText = (seeds: readonly string[]) =>
  fc
    .array(
      seeds.length === 0
        ? piece
        : fc.oneof({ weight: 3, arbitrary: piece }, fc.constantFrom(...seeds)),
      {
        maxLength: 6,
      },
    )
    .map((pieces) => `"${pieces.join('')}"`);

const separated = (parts: readonly string[], open: string, close: string, blank: string) =>
  `${open}${blank}${parts.join(`${blank},${blank}`)}${blank}${close}`;

/**
 * Lists and objects with repeated members, too. `seeds` are pieces of strings as they are
 * written.
 */
export function jsonText(seeds: readonly string[] = []): fc.Arbitrary<string> {
  const string = stringText(seeds);
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      string,
      numberText,
      fc.constantFrom('true', 'false', 'null', '[]', '{}', '""'),
      fc
        .tuple(fc.array(tie('value'), { maxLength: 4 }), blanks)
        .map(([parts, blank]) => separated(parts, '[', ']', blank)),
      fc
        .tuple(fc.array(fc.tuple(string, tie('value')), { maxLength: 4 }), blanks)
        .map(([members, blank]) => {
          const parts = members.map(([name, member]) => `${name}${blank}:${blank}${member}`);
          return separated(parts, '{', '}', blank);
        }),
    ),
  }));
  return value;
}
