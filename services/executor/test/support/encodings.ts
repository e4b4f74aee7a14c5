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
  'URL component of base64': (text) => encodeURIComponent(base64(text)),
  JSON: inJson,
  'JSON with escaped slashes': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON with escaped specials': (text) => special(text, unicodeEscape),
  'JSON with specials in upper-case hex': (text) => special(text, upper(unicodeEscape)),
  'JSON, each character': (text) => each(text, unicodeEscape),
  'JSON Pointer': (text) => text.replaceAll('~', '~0').replaceAll('/', '~1'),
};

/**
 * Encodings that name the text itself, so that finding them anywhere means that it
 * leaked.
 */
const ENCODING_NAMES = Object.keys(ENCODINGS);

/** A secret in every encoding. */
export const encodingsOf = (secret: string): string[] => [
  ...new Set(ENCODING_NAMES.map((name) => encode(name, secret))),
];

function encode(name: string, text: string): string {
  const encoding = ENCODINGS[name];
  if (encoding === undefined) throw new Error(`no encoding is called ${name}`);
  return encoding(text);
}
