export { inspectJson, type JsonFindings } from './inspect.ts';
export { JsonText } from './json-text.ts';
export { decimalOf } from './numbers.ts';
export { MAX_MEMBERS, parseExact } from './parse-exact.ts';
export { JsonScanner } from './scanner.ts';
export { JsonFault, JsonToken, withoutByteOrderMark } from './tokens.ts';
