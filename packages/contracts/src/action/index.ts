import '../node-version.ts';

export { encodeBody } from './body.ts';
export { actionDigest, UNCOVERED_HEADERS } from './digest.ts';
export { pointerToHeader, readActionHeaders, readHeaders } from './headers.ts';
export { HOST_FORMS, parseHost } from './host.ts';
export { appendQuery } from './query.ts';
export {
  inspectAction,
  type PlannedAction,
  readAction,
  readTarget,
  toMethod,
  validateAction,
  validMembers,
} from './read-action.ts';
export { headerKey, isReserved } from './refused-headers.ts';
export {
  type ByHost,
  entriesOnHost,
  groupByHost,
  matchesMethod,
  matchesPath,
  pathOf,
  type RequestPattern,
  readPattern,
} from './request-pattern.ts';
export { charsetIn, decodeText, shorten } from './text.ts';
export {
  DROPPED_CHARACTERS,
  fragmentViolation,
  isIpLiteral,
  isLoopback,
  isSecure,
  portOf,
  readUrl,
  type Target,
  withoutBrackets,
} from './url.ts';
