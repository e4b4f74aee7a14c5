import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Test = (text: string) => boolean;

function libraryTest(name: 'date' | 'iso-time' | 'uri' | 'uri-reference' | 'ipv6'): Test {
  const format = fullFormats[name] as Test | RegExp | { readonly validate: Test };
  if (format instanceof RegExp) return (text) => format.test(text);
  return typeof format === 'function' ? format : format.validate;
}

const isDate = libraryTest('date');
const isWholeTime = libraryTest('iso-time');

/** Java leaves seconds out where they are 0. */
const WITHOUT_SECONDS = /^(\d\d:\d\d)(?!:)(.*)$/;

function isTime(text: string): boolean {
  return isWholeTime(text) || isWholeTime(text.replace(WITHOUT_SECONDS, '$1:00$2'));
}

/** Names of a time zone and a calendar (RFC 9557). */
const SUFFIXES = /^(?:\[!?[\w.+/=:-]+\])+$/;

function isDateTime(text: string): boolean {
  const bracket = text.indexOf('[');
  if (bracket > 0) return SUFFIXES.test(text.slice(bracket)) && isDateTime(text.slice(0, bracket));
  const separator = text[10];
  if (separator !== 'T' && separator !== 't' && separator !== ' ') return false;
  return isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

const COUNT = String.raw`[+-]?\d+(?:[.,]\d+)?`;
const durationCounts = (units: string) => [...units].map((unit) => `(?:${COUNT}${unit})?`).join('');
/** Only the last number has a fraction. */
const ONE_FRACTION = String.raw`(?!.*[.,]\d+[A-Z]T?[\d+-])`;
const DURATION = new RegExp(
  `^[+-]?P(?=.)${ONE_FRACTION}(?:${COUNT}W|${durationCounts('YMD')}(?:T(?=.)${durationCounts('HMS')})?)$`,
);

const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = String.raw`"(?:[ !#-[\]-~]|\\[ -~])*"`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`;
const ADDRESS = String.raw`\[(?:IPv6:)?([\da-f.:]+)\]`;
const EMAIL = new RegExp(
  String.raw`^(?:${ATOM}(?:\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\.${LABEL})*|${ADDRESS})$`,
  'iu',
);
const isIpv4 = fullFormats.ipv4 as RegExp;
const isIpv6 = libraryTest('ipv6');

function isEmail(text: string): boolean {
  const [found, address] = EMAIL.exec(text) ?? [];
  if (found === undefined || address === undefined) return found !== undefined;
  return /\[IPv6:/i.test(text) ? isIpv6(address) : isIpv4.test(address);
}

const BEYOND_ASCII = /[\xa0-\uffff]/g;
/** What browsers leave as it is behind `?` and `#`, such as `?page[size]=2`. */
const UNESCAPED = /[[\]{}|^`]/g;

/** Judges also as it would be with its unusual characters escaped. */
function withEscapes(isUri: Test): Test {
  return (text) => isUri(text) || isUri(escapedUri(text));
}

function escapedUri(text: string): string {
  return text
    .replace(/[?#].*$/s, (tail) => tail.replace(UNESCAPED, '_'))
    .replace(BEYOND_ASCII, '_');
}

const isUri = withEscapes(libraryTest('uri'));

/** Base64 or base64url, padded or not, in one line or more. */
function isBase64(text: string): boolean {
  const [found, digits = '', padding = ''] = /^([\w+/\r\n-]*)(={0,2})[\r\n]*$/.exec(text) ?? [];
  const count = digits.replace(/[\r\n]/g, '').length;
  if (found === undefined || count % 4 === 1) return false;
  return padding === '' || (count + padding.length) % 4 === 0;
}

const INT64_END = 2 ** 63;

/**
 * The formats that are asserted: what their standards have, and what servers write for the
 * types that OpenAPI declares so (decision 0032).
 */
export const FORMATS: Readonly<Record<string, Format>> = {
  ...fullFormats,
  time: isTime,
  'date-time': isDateTime,
  duration: DURATION,
  email: isEmail,
  // Servers write an empty one for none, as GitHub does.
  uri: (text) => text === '' || isUri(text),
  'uri-reference': withEscapes(libraryTest('uri-reference')),
  byte: isBase64,
  int64: {
    type: 'number',
    // 9223372036854775807 is read as 2 ** 63.
    validate: (value) => Number.isInteger(value) && Math.abs(value) <= INT64_END,
  },
  // No draft has it, and the library's refuses private hosts.
  url: true,
};

/** By format, what it looks like. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['date', 'such as `2026-11-22`'],
  ['time', 'such as `13:20:05Z` or `13:20:05`'],
  ['date-time', 'such as `2026-11-22T13:20:05Z` or `2026-11-22T13:20:05`'],
  ['duration', 'such as `P1DT2H` or `PT3.5S`'],
  ['email', 'such as `ada@example.com`'],
  ['hostname', 'such as `www.example.com`'],
  ['ipv4', 'such as `192.0.2.1`'],
  ['ipv6', 'such as `2001:db8::1`'],
  ['uri', 'absolute and escaped, such as `https://example.com/a%20b?c=d`'],
  ['uri-reference', 'escaped, such as `/a%20b?c=d`'],
  ['uri-template', 'such as `/a/{id}`'],
  ['uuid', 'such as `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`'],
  ['json-pointer', 'such as `/a/0`'],
  ['json-pointer-uri-fragment', 'such as `#/a/0`'],
  ['relative-json-pointer', 'such as `1/a`'],
  ['regex', 'a regular expression of ECMAScript'],
  ['byte', 'base64 such as `YWJj`'],
  ['int32', 'a whole number from -2147483648 to 2147483647'],
  ['int64', 'a whole number of 64 bits'],
]);

/** What a violation says of a value, which it does not repeat. */
export function formatMessage(name: string): string {
  const expected = EXPECTED.get(name);
  return `must match format "${name}"${expected === undefined ? '' : `, ${expected}`}`;
}
