import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Test = (text: string) => boolean;

/** Matches ISO 8601 durations with optional signs and fractions, as in Java, .NET and Pydantic. */
const DURATION = new RegExp(
  String.raw`^-?P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?` +
    String.raw`(?:T(?=[\d-])(?:-?\d+H)?(?:-?\d+M)?(?:-?\d+(?:\.\d+)?S)?)?)$`,
);

const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = String.raw`"(?:[ !#-[\]-~]|\\[ -~])*"`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`;
const ADDRESS = String.raw`\[(?:IPv6:)?([\da-f.:]+)\]`;
/** Matches email addresses, including `"a b"@example.com`, `a@[127.0.0.1]` and `a@localhost`. */
const EMAIL = new RegExp(
  String.raw`^(?:${ATOM}(?:\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\.${LABEL})*|${ADDRESS})$`,
  'iu',
);
const IPV4 = fullFormats.ipv4 as RegExp;
const IPV6 = fullFormats.ipv6 as RegExp;

function isEmail(text: string): boolean {
  const match = EMAIL.exec(text);
  const address = match?.[1];
  if (address === undefined) return match !== null;
  return (/\[IPv6:/i.test(text) ? IPV6 : IPV4).test(address);
}

const BEYOND_ASCII = /[\xa0-\uffff]/g;
/** Characters that browsers leave unescaped after `?` and `#`, as in `?page[size]=2`. */
const UNESCAPED = /[[\]{}|^`]/g;

/** Makes a URI check accept characters that servers and browsers often leave unescaped. */
function withUnescaped(isUri: Test): Test {
  const escaped = (text: string) =>
    text.replace(/[?#].*$/s, (tail) => tail.replace(UNESCAPED, '_')).replace(BEYOND_ASCII, '_');
  return (text) => isUri(text) || isUri(escaped(text));
}

const isUri = withUnescaped(fullFormats.uri as Test);
const URI_REFERENCE = fullFormats['uri-reference'] as RegExp;

/** True if `text` is base64 or base64url, with or without padding and line breaks. */
function isBase64(text: string): boolean {
  const [found, digits = '', padding = ''] = /^([\w+/\r\n-]*)(={0,2})[\r\n]*$/.exec(text) ?? [];
  const count = digits.replace(/[\r\n]/g, '').length;
  if (found === undefined || count % 4 === 1) return false;
  return padding === '' || (count + padding.length) % 4 === 0;
}

/** Formats from ajv-formats, relaxed to accept values that servers send (docs/decisions/0034). */
export const FORMATS: Readonly<Record<string, Format>> = {
  ...fullFormats,
  // The time zone is optional, because Python, Java and .NET often omit it.
  time: fullFormats['iso-time'],
  'date-time': fullFormats['iso-date-time'],
  duration: DURATION,
  email: isEmail,
  // Accept an empty string, because servers such as GitHub send it for a missing link.
  uri: (text) => text === '' || isUri(text),
  'uri-reference': withUnescaped((text) => URI_REFERENCE.test(text)),
  byte: isBase64,
  int64: {
    type: 'number',
    // Allow 2 ** 63, because `JSON.parse` turns the largest int64, 2 ** 63 - 1, into 2 ** 63.
    validate: (value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63,
  },
  // Accept any text as a `url`, because Ajv's own `url` format refuses private hosts.
  url: true,
};
