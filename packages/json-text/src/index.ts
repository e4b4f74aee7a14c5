export { inspectJson, type JsonFindings } from './inspect.ts';
export { JsonText, withoutByteOrderMark } from './json-text.ts';
export { decimalOf } from './numbers.ts';
export { parseCanonical, parseExact } from './parse-exact.ts';
export { JsonScanner } from './scanner.ts';
export { JsonFault, JsonToken } from './tokens.ts';
