export { inspectJson, type JsonFindings, type OutermostMember } from './inspect.ts';
export { JsonText, withoutByteOrderMark } from './json-text.ts';
export { isExactNumber, isPlainNumber } from './numbers.ts';
export { nameAt, OpenNames } from './open-names.ts';
export { parseExact } from './parse-exact.ts';
export { isPlainJson } from './plain.ts';
export { pointerAt, pointersAt } from './pointer.ts';
export { JsonFault, JsonScanner, Token } from './scanner.ts';
