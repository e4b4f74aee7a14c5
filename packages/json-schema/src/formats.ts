import type { Format } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Test = (text: string) => boolean;

function testOf(name: 'uri' | 'uri-reference' | 'ipv6'): Test {
  const format = fullFormats[name] as Test | RegExp;
  return format instanceof RegExp ? (text) => format.test(text) : format;
}

/** Unlike the standard, with a sign and a fraction of seconds, as Java, .NET and Pydantic write. */
const DURATION = new RegExp(
  String.raw`^-?P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?` +
    String.raw`(?:T(?=[\d-])(?:-?\d+H)?(?:-?\d+M)?(?:-?\d+(?:\.\d+)?S)?)?)$`,
);

const ATOM = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const QUOTED = String.raw`"(?:[ !#-[\]-~]|\\[ -~])*"`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?`;
const ADDRESS = String.raw`\[(?:IPv6:)?([\da-f.:]+)\]`;
/** The library refuses quoted names, literal addresses and hosts without a dot. */
const EMAIL = new RegExp(
  String.raw`^(?:${ATOM}(?:\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\.${LABEL})*|${ADDRESS})$`,
  'iu',
);
const isIpv4 = fullFormats.ipv4 as RegExp;
const isIpv6 = testOf('ipv6');

function isEmail(text: string): boolean {
  const [found, address] = EMAIL.exec(text) ?? [];
  if (found === undefined || address === undefined) return found !== undefined;
  return /\[IPv6:/i.test(text) ? isIpv6(address) : isIpv4.test(address);
}

const BEYOND_ASCII = /[\xa0-\uffff]/g;
/** Characters that browsers leave unescaped behind `?` and `#`, such as `?page[size]=2`. */
const UNESCAPED = /[[\]{}|^`]/g;

/** Accepts unescaped characters as servers and browsers write them. */
function withUnescaped(isUri: Test): Test {
  const escaped = (text: string) =>
    text.replace(/[?#].*$/s, (tail) => tail.replace(UNESCAPED, '_')).replace(BEYOND_ASCII, '_');
  return (text) => isUri(text) || isUri(escaped(text));
}

const isUri = withUnescaped(testOf('uri'));

/** Base64 or base64url, padded or not, in one line or more; the library reads only one line. */
function isBase64(text: string): boolean {
  const [found, digits = '', padding = ''] = /^([\w+/\r\n-]*)(={0,2})[\r\n]*$/.exec(text) ?? [];
  const count = digits.replace(/[\r\n]/g, '').length;
  if (found === undefined || count % 4 === 1) return false;
  return padding === '' || (count + padding.length) % 4 === 0;
}

const INT64_END = 2 ** 63;

/**
 * The formats that are asserted: those of ajv-formats, wider where servers write more for the
 * types that OpenAPI declares so (decision 0032).
 */
export const FORMATS: Readonly<Record<string, Format>> = {
  ...fullFormats,
  // Without a time zone, as Python, Java and .NET write them.
  time: fullFormats['iso-time'],
  'date-time': fullFormats['iso-date-time'],
  duration: DURATION,
  email: isEmail,
  // Servers write an empty one for none, as GitHub does.
  uri: (text) => text === '' || isUri(text),
  'uri-reference': withUnescaped(testOf('uri-reference')),
  byte: isBase64,
  int64: {
    type: 'number',
    // 9223372036854775807 is read as 2 ** 63.
    validate: (value) => Number.isInteger(value) && Math.abs(value) <= INT64_END,
  },
  // No draft has it, and the library's refuses private hosts.
  url: true,
};
