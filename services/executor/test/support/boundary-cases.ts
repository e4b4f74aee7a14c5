/**
 * Contract, "Redaction: echoes": where a secret counts as one, in JSON strings as they
 * are written.
 */
export interface Boundary {
  readonly name: string;
  readonly secret: string;
  /** What stands in the JSON text between the quotes. */
  readonly written: string;
  /** What the string says afterwards. */
  readonly says: string;
}

const raw = String.raw;
const FIVE = 'ab3-d';
const SIX = 'ab3-de';
const FIFTEEN = 'ab3-deFGh1jkLmn';
const SIXTEEN = 'ab3-deFGh1jkLmn0';

const says = (written: string) => JSON.parse(`"${written}"`) as string;
const row = (name: string, secret: string, written: string, scrubbed: string): Boundary => ({
  name,
  secret,
  written,
  says: says(scrubbed),
});
const left = (name: string, secret: string, written: string) => row(name, secret, written, written);
const scrubbed = (name: string, secret: string, written: string) =>
  row(name, secret, written, written.replaceAll(secret, 'REDACTED'));

const upper = (text: string) => text.toUpperCase();

const LENGTHS: Boundary[] = [
  left('5 characters, whole', FIVE, FIVE),
  left('5 characters, by themselves', FIVE, `a ${FIVE} b`),
  left('5 characters, escaped', FIVE, raw`\u0061b3-d`),
  scrubbed('6 characters, whole', SIX, SIX),
  scrubbed('6 characters, by themselves', SIX, `a ${SIX} b`),
  scrubbed('15 characters, by themselves', FIFTEEN, `(${FIFTEEN})`),
  left('15 characters within a word', FIFTEEN, `x${FIFTEEN}x`),
  left('15 characters, then one more', FIFTEEN, SIXTEEN),
  scrubbed('16 characters within a word', SIXTEEN, `x${SIXTEEN}x`),
  scrubbed('16 characters, twice in a row', SIXTEEN, `${SIXTEEN}${SIXTEEN}`),
  left('the first 15 of 16', SIXTEEN, FIFTEEN),
  left('the last 15 of 16', SIXTEEN, SIXTEEN.slice(1)),
  left('the first half of 16, twice', SIXTEEN, SIXTEEN.slice(0, 8).repeat(2)),
];

const CASES: Boundary[] = [
  left('6 in upper case', SIX, upper(SIX)),
  left('6 in another case', SIX, 'Ab3-de'),
  left('15 in upper case', FIFTEEN, upper(FIFTEEN)),
  left('15 in lower case', FIFTEEN, FIFTEEN.toLowerCase()),
  row('16 in upper case', SIXTEEN, `x ${upper(SIXTEEN)} y`, 'x REDACTED y'),
  row('16 in lower case, within a word', SIXTEEN, `x${SIXTEEN.toLowerCase()}y`, 'xREDACTEDy'),
];

/** Beside these, a short secret does not stand by itself. */
const WORD_CHARACTERS = ['a', 'z', 'A', 'Z', '0', '9', '_', 'é', 'ß', 'я', '語'];
const MARKS = [
  ' ',
  '-',
  '.',
  ',',
  ':',
  ';',
  '/',
  '|',
  '=',
  '?',
  '!',
  '#',
  '$',
  '*',
  '@',
  '~',
  '^',
  '(',
  ')',
  '[',
  ']',
];
const MORE_MARKS = ['{', '}', '<', '>', "'", '`', '…', '–', '\u00a0', '😀'];
/** Marks that are escaped in JSON. */
const ESCAPED = [
  raw`\"`,
  raw`\/`,
  raw`\n`,
  raw`\r`,
  raw`\t`,
  raw`\b`,
  raw`\f`,
  raw`\u0000`,
  raw`\u000a`,
  raw`\u2028`,
];

const NEIGHBOURS: Boundary[] = [
  ...WORD_CHARACTERS.flatMap((mark) => [
    left(`${mark} before`, SIX, `${mark}${SIX}`),
    left(`${mark} behind`, SIX, `${SIX}${mark}`),
    left(`${mark} before and a blank behind`, SIX, `- ${mark}${SIX} -`),
    scrubbed(`${mark} around 16`, SIXTEEN, `${mark}${SIXTEEN}${mark}`),
  ]),
  ...[...MARKS, ...MORE_MARKS, ...ESCAPED].flatMap((mark) => [
    scrubbed(`${mark} before`, SIX, `x ${mark}${SIX}`),
    scrubbed(`${mark} behind`, SIX, `${SIX}${mark} x`),
    scrubbed(`${mark} around`, SIX, `${mark}${SIX}${mark}`),
  ]),
  left('an escaped letter before', SIX, raw`\u0078${SIX}`),
  left('an escaped digit behind', SIX, raw`${SIX}\u0030`),
];

/** Whoever undoes the escape sees the secret by itself. */
const UNDONE: Boundary[] = [
  scrubbed('%20 before', SIX, `x%20${SIX}`),
  scrubbed('%0A before', SIX, `x%0A${SIX}`),
  scrubbed('%2F around', SIX, `%2F${SIX}%2f`),
  scrubbed('%3D before and %26 behind', SIX, `q%3D${SIX}%26b`),
  scrubbed('%22 around', SIX, `%22${SIX}%22`),
  scrubbed('%2520 before', SIX, `x%2520${SIX}`),
  scrubbed('+ of a form around', SIX, `q=a+${SIX}+b`),
  scrubbed('&quot; around', SIX, `&quot;${SIX}&quot;`),
  scrubbed('&lt; and &gt; around', SIX, `&lt;${SIX}&gt;`),
  scrubbed('&#10; before', SIX, `x&#10;${SIX}`),
  scrubbed('&#x20; before', SIX, `x&#x20;${SIX}`),
  scrubbed('&nbsp; before', SIX, `x&nbsp;${SIX}`),
  scrubbed('a line break of JSON within JSON before', SIX, raw`{\"a\":\"x\\n${SIX}\"}`),
  scrubbed('a tab of JSON within JSON before', SIX, raw`{\"a\":\"x\\t${SIX}\\n\"}`),
  scrubbed('quotes of JSON within JSON around', SIX, raw`{\"a\":\"\\\"${SIX}\\\"\"}`),
  scrubbed('~1 of a pointer around', SIX, `/a~1${SIX}~1b`),
  left('%78 before, which is a letter', SIX, `%78${SIX}`),
];

/** What resembles a secret of 16 and more, and is none. */
const RESEMBLING: Boundary[] = [
  left('one character changed', SIXTEEN, SIXTEEN.replace('G', 'X')),
  left('one character added within', SIXTEEN, SIXTEEN.replace('G', 'Gg')),
  left('a blank within', SIXTEEN, `${SIXTEEN.slice(0, 8)} ${SIXTEEN.slice(8)}`),
  left('an escaped line break within', SIXTEEN, raw`${SIXTEEN.slice(0, 8)}\n${SIXTEEN.slice(8)}`),
  left('another character, escaped', SIXTEEN, raw`ab3-deFGh1jkLm\u006f0`),
  left('another character, in percent', SIXTEEN, 'ab3-deFGh1jkLm%6F0'),
  left('reversed', SIXTEEN, [...SIXTEEN].reverse().join('')),
];

export const BOUNDARIES: readonly Boundary[] = [
  ...LENGTHS,
  ...CASES,
  ...NEIGHBOURS,
  ...UNDONE,
  ...RESEMBLING,
];
