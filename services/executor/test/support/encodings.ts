const hex = (character: string, digits: number) =>
  character.charCodeAt(0).toString(16).padStart(digits, '0');
const upperCaseHex = (text: string) =>
  text.replace(/[\da-f]{2,}/g, (digits) => digits.toUpperCase());
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Rewrites each character, or those alone that are neither letters nor digits. */
const each = (text: string, rewrite: (character: string) => string) =>
  [...text].map(rewrite).join('');
const special = (text: string, rewrite: (character: string) => string) =>
  text.replace(/[^A-Za-z0-9]/g, rewrite);

const percent = (character: string) => `%${hex(character, 2)}`;
const unicodeEscape = (character: string) => `\\u${hex(character, 4)}`;
const upper = (rewrite: (character: string) => string) => (character: string) =>
  upperCaseHex(rewrite(character));

const NAMED: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** Names that HTML 5 has for the rest of ASCII. */
const MORE_NAMED = new Map(
  Object.entries({
    ...NAMED,
    '!': 'excl',
    '#': 'num',
    $: 'dollar',
    '%': 'percnt',
    '(': 'lpar',
    ')': 'rpar',
    '*': 'ast',
    '+': 'plus',
    ',': 'comma',
    '.': 'period',
    '/': 'sol',
    ':': 'colon',
    ';': 'semi',
    '=': 'equals',
    '?': 'quest',
    '@': 'commat',
    '[': 'lsqb',
    '\\': 'bsol',
    ']': 'rsqb',
    '^': 'Hat',
    _: 'lowbar',
    '`': 'grave',
    '{': 'lcub',
    '|': 'verbar',
    '}': 'rcub',
  }),
);

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * How programs of many kinds spell a text; each gives back the text to a decoder of its
 * kind.
 */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'URL component': encodeURIComponent,
  'URL component in lower-case hex': (text) => special(text, percent),
  'URL component in upper-case hex': (text) => special(text, upper(percent)),
  'URL path, slashes kept': (text) => text.split('/').map(encodeURIComponent).join('/'),
  'URL, each character': (text) => each(text, upper(percent)),
  form: (text) => new URLSearchParams({ v: text }).toString().slice(2),
  base64,
  'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of a text around it, 1': (text) => base64(`{"t":"${text}"}`),
  'base64 of a text around it, 2': (text) => base64(`{"tk":"${text}","n":1}`),
  'base64url of a text around it, 3': (text) =>
    Buffer.from(`{"tok":"${text}?>"}`).toString('base64url'),
  'URL component of base64': (text) => encodeURIComponent(base64(text)),
  JSON: inJson,
  'URL component, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'URL specials, twice': (text) => special(special(text, percent), percent),
  'JSON in JSON': (text) => inJson(inJson(text)),
  'JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON with escaped specials': (text) => special(text, unicodeEscape),
  'JSON with specials in upper-case hex': (text) => special(text, upper(unicodeEscape)),
  'JSON, each character': (text) => each(text, unicodeEscape),
  'JSON Pointer': (text) => text.replaceAll('~', '~0').replaceAll('/', '~1'),
  'HTML names': (text) => text.replace(/[&<>"']/g, (character) => `&${NAMED[character]};`),
  'HTML names of all marks': (text) =>
    each(text, (character) =>
      MORE_NAMED.has(character) ? `&${MORE_NAMED.get(character)};` : character,
    ),
  'HTML numbers': (text) => special(text, (character) => `&#${character.charCodeAt(0)};`),
  'HTML numbers with leading zeros': (text) =>
    special(text, (character) => `&#${String(character.charCodeAt(0)).padStart(3, '0')};`),
  'HTML hex': (text) => special(text, (character) => `&#x${hex(character, 2)};`),
  'HTML upper-case hex': (text) =>
    special(text, (character) => `&#x${hex(character, 2).toUpperCase()};`),
  'HTML, each character': (text) => each(text, (character) => `&#${character.charCodeAt(0)};`),
};

/**
 * Encodings that name the text itself, so that finding them anywhere means that it
 * leaked.
 */
export const ENCODING_NAMES = Object.keys(ENCODINGS);

/**
 * Base64 of a text around the secret shows it only where its own octets fill whole
 * characters.
 */
function base64Cores(text: string): string[] {
  const octets = Buffer.byteLength(text);
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + octets) * 8) / 6);
    return [
      padded.toString('base64').slice(from, to),
      padded.toString('base64url').slice(from, to),
    ];
  });
}

/** Spellings that mean the same in any case. */
export const caselessSpellings = (secret: string): string[] =>
  spelled(secret, (name) => !name.includes('base64'));

/** Base64, whose case counts. */
export const base64Spellings = (secret: string): string[] => [
  ...spelled(secret, (name) => name.includes('base64') && !name.includes('around')),
  ...base64Cores(secret),
];

const spelled = (secret: string, chosen: (name: string) => boolean) => [
  ...new Set(ENCODING_NAMES.filter(chosen).map((name) => encode(name, secret))),
];

export function encode(name: string, text: string): string {
  const encoding = ENCODINGS[name];
  if (encoding === undefined) throw new Error(`no encoding is called ${name}`);
  return encoding(text);
}
