export { inspectJson, type JsonFindings, type OutermostMember } from './inspect.ts';
export { JsonText, withoutByteOrderMark } from './json-text.ts';
export { decimalOf, isExactNumber } from './numbers.ts';
export { parseExact } from './parse-exact.ts';
export { JsonScanner } from './scanner.ts';
export { JsonFault, JsonToken } from './tokens.ts';
