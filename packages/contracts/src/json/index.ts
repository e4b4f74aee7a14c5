import '../node-version.ts';

export { inspectJson, type JsonFindings } from './inspect.ts';
export { JsonText } from './json-text.ts';
export { parseMembers } from './members.ts';
export { MAX_MEMBERS, parseExact } from './parse-exact.ts';
export { JsonScanner } from './scanner.ts';
export { sortedJson } from './sorted-json.ts';
export { JsonFault, JsonToken, withoutByteOrderMark } from './tokens.ts';
export { JsonTree } from './tree.ts';
