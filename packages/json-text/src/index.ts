export { inspectJson, type JsonFindings } from './inspect.ts';
export { JsonText } from './json-text.ts';
export { isExactNumber } from './numbers.ts';
export { pointerAt, pointersAt } from './pointer.ts';
export { JsonFault, JsonScanner, Token } from './scanner.ts';
