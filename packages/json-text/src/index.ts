export { inspectJson, type JsonFindings, type OutermostMember } from './inspect.ts';
export { JsonText, withoutByteOrderMark } from './json-text.ts';
export {
  compareMagnitudes,
  isExactNumber,
  isPlainNumber,
  isWholeNumber,
  SURELY_EXACT_CHARS,
} from './numbers.ts';
export { nameAt, OpenNames } from './open-names.ts';
export { parseExact } from './parse-exact.ts';
export { isPlainJson } from './plain.ts';
export { pointerAt, pointersAt } from './pointer.ts';
export { JsonFault, JsonScanner, Token } from './scanner.ts';
