import { ACCEPTED_IN_SCHEMAS } from './accepted-in-schemas.ts';
import { type Accepted, HARMLESS, HARMLESS_TEXT, NARROWS, SLOWER } from './reasons.ts';

const HEAP = 'to fill the memory of a thread takes seconds';
const KEPT = 'answers are kept: only the test that makes this one first is asked; another fails';
const IDLE = 'threads that idle end on their own';

/** Survivors that no test can kill, or need not: by file, the mutants and why. */
export const ACCEPTED: Accepted = {
  ...ACCEPTED_IN_SCHEMAS,
  'packages/policy-engine/src/money.ts': [['exact !== undefined', 'false', SLOWER]],
  'packages/policy-engine/src/rules/connector-scope.ts': [
    ['scope.length > MOST_KEPT_CHARS', 'true', SLOWER],
    ['scope.length > MOST_KEPT_CHARS', 'scope.length >= MOST_KEPT_CHARS', SLOWER],
    ['scope.length > MOST_KEPT_CHARS', 'scope.length <= MOST_KEPT_CHARS', SLOWER],
    ['known !== undefined', 'false', SLOWER],
    ['kept.size === MOST_KEPT', 'true', SLOWER],
    ['kept.size === MOST_KEPT', 'kept.size !== MOST_KEPT', SLOWER],
    ['kept.set(scope, answer);', ';', SLOWER],
    [
      '/^((?:mcp:\\/\\/)?[^/?#:@]*)(.)?/is',
      '/((?:mcp:\\/\\/)?[^/?#:@]*)(.)?/is',
      'it matches at the start in any case',
    ],
    ["''", HARMLESS_TEXT, 'unlisted scopes are never allowed; the pattern has both parts'],
    ['[]', HARMLESS, NARROWS],
  ],
  'packages/policy-engine/src/rules/labels.ts': [
    ['known !== undefined', 'false', SLOWER],
    ['made.set(combination, answer);', ';', SLOWER],
  ],
  'packages/policy-engine/src/rules/legal-compliance.ts': [
    ["'flags_allowed'", '""', KEPT],
    ["'flag_needs_approval'", '""', KEPT],
    ["'flag_denied'", '""', KEPT],
    ["'flag_unknown'", '""', KEPT],
  ],
  'packages/policy-engine/src/rules/pii-guardrail.ts': [
    ["'categories_allowed'", '""', KEPT],
    ["'category_needs_approval'", '""', KEPT],
    ["'category_denied'", '""', KEPT],
    ["'category_unknown'", '""', KEPT],
  ],
  'packages/policy-engine/src/ruling.ts': [
    ['known !== undefined', 'false', SLOWER],
    ['made.set(combination, ruling);', ';', SLOWER],
    [
      'combination * PLACES + reason.place',
      'combination * PLACES - reason.place',
      'another number for each combination, too',
    ],
    ['combination * PLACES', 'combination / PLACES', 'another number for each combination, too'],
  ],
  'packages/policy-engine/src/rules/scope-patterns.ts': [['[]', HARMLESS, 'no scope begins so']],
  'packages/policy-engine/src/rules/spend-limit.ts': [
    ['limits === undefined', 'false', NARROWS],
    ['a < b', 'a <= b', 'the same number'],
  ],
  'packages/http-executor/src/attempt/body-reader.ts': [
    ['before === 0', 'false', SLOWER],
    ['this.#size > this.#bytes.length', 'this.#size >= this.#bytes.length', SLOWER],
    ['grows', 'true', SLOWER],
  ],
  'packages/http-executor/src/attempt/decoders.ts': [
    ['header === undefined', 'false', SLOWER],
    ['transform.pause();', ';', 'more memory, up to the limit, and no other answer'],
  ],
  'packages/http-executor/src/attempt/progress.ts': [
    ["'connecting'", '""', 'set again before each request'],
    ['/^It/', '/It/', 'hosts are in lower case'],
    ["''", HARMLESS_TEXT, 'what is between the members of a list of one'],
  ],
  'packages/http-executor/src/attempt/redirect.ts': [
    ['error instanceof Refusal', 'true', 'nothing else is thrown there'],
    ['status < 303', 'status <= 303', 'POST is rewritten on 303 in any case'],
  ],
  'packages/http-executor/src/attempt/retry-decision.ts': [
    ["value.endsWith('GMT')", "value.startsWith('GMT')", '`GMT GMT` is read as `GMT`'],
    ["'GMT'", '""', 'the same where local time is UTC'],
  ],
  'packages/http-executor/src/attempt/retry-loop.ts': [['trace.size === 0', 'false', SLOWER]],
  'packages/http-executor/src/guard/guard.ts': [["'violation'", '""', NARROWS]],
  'packages/http-executor/src/guard/request-body.ts': [
    [
      `json.text.startsWith('"')`,
      `json.text.endsWith('"')`,
      'JSON that ends in a quote is a string',
    ],
    ["''", HARMLESS_TEXT, 'what is put there is no half character; a name comes before its value'],
    ["contentType?.split(';', 1)[0]?.trim", "contentType?.split(';', 1)[0].trim", NARROWS],
    [
      '/\\\\\\\\|\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}/g',
      '/\\\\\\\\|\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]/g',
      'what is left of the pair is no half of one',
    ],
  ],
  'packages/http-executor/src/guard/request-headers.ts': [
    ['name.slice(0, MAX_VIOLATION_CHARS)', 'name', SLOWER],
    ['[]', HARMLESS, 'no header, in lower case, begins with that'],
  ],
  'packages/http-executor/src/guard/url.ts': [
    ['URL.parse(text, base)?.href', 'URL.parse(text, base).href', NARROWS],
  ],
  'packages/http-executor/src/redact/body.ts': [["'latin1'", '""', 'base64 is ASCII']],
  'packages/http-executor/src/redact/search-with-nuls.ts': [
    ['!search.escapes.test(run)', 'false', SLOWER],
    ["!text.includes('\\0')", 'false', SLOWER],
    ["'\\0'", '""', SLOWER],
    ['span?.[0]', 'span[0]', NARROWS],
  ],
  'packages/http-executor/src/redact/header-names.ts': [
    ['remembered !== undefined', 'false', SLOWER],
    ['known.size >= MAX_KNOWN_NAMES', 'true', SLOWER],
    ['known.size >= MAX_KNOWN_NAMES', 'false', 'more memory, no other answer'],
    ['known.size >= MAX_KNOWN_NAMES', 'known.size < MAX_KNOWN_NAMES', SLOWER],
    ['known.size >= MAX_KNOWN_NAMES', 'known.size > MAX_KNOWN_NAMES', 'room for one more'],
    ['known.set(name, judged);', ';', SLOWER],
    ['[]', HARMLESS, 'no header has that name'],
  ],
  'packages/http-executor/src/redact/redactor.ts': [
    ["name === '__proto__'", 'true', SLOWER],
    ['ENTRY_CHARS + held.length', 'ENTRY_CHARS - held.length', 'texts are longer than the header'],
  ],
  'packages/http-executor/src/redact/scrub-json.ts': [
    ['found.length === 0', 'false', SLOWER],
    ['found.slice(from, next)', 'found', 'slower: `redact-time.test.ts` tells'],
    ['[]', HARMLESS, 'no object has the depth 0'],
  ],
  'packages/http-executor/src/redact/scrub.ts': [['spans.length === 0', 'false', SLOWER]],
  'packages/http-executor/src/redact/search.ts': [
    [
      'variants.slice(0, level)',
      'variants',
      'moves a start to the right, and the first one counts',
    ],
    ['span?.[0]', 'span[0]', NARROWS],
    ['at < cutAt', 'at <= cutAt', 'sets the same again'],
  ],
  'packages/http-executor/src/redact/secrets.ts': [
    ["''", HARMLESS_TEXT, NARROWS],
    ['/^.*=(?=[^=])/', '/.*=(?=[^=])/', 'slower: the anchor keeps it linear'],
  ],
  'packages/http-executor/src/redact/spellings.ts': [
    ['!anywhere', 'true', 'spellings that others contain'],
    ['!/[\\x80-\\xff]/.test(secret)', 'false', 'the same spelling twice'],
  ],
  'packages/http-executor/src/redact/unescape.ts': [
    ['low < 0', 'low <= 0', 'the same bytes, read in one step or two'],
    ['text.charCodeAt(0) < 0x80 && text.length === 1', 'false', SLOWER],
    ['default: return undefined;', 'default:', 'undefined without saying so'],
  ],
  'packages/http-executor/src/response/examine.ts': [
    ["'binary'", '""', 'base64 is tried next, and takes anything'],
  ],
  'packages/http-executor/src/response/examine-worker.ts': [
    ['secrets.length === 0', 'false', SLOWER],
    ['searches.set(id, search);', ';', SLOWER],
  ],
  'packages/http-executor/src/response/examiner.ts': [
    [
      'WORKER_HEAP_MB + Math.ceil(maxParsedBytes / MIB)',
      'WORKER_HEAP_MB - Math.ceil(maxParsedBytes / MIB)',
      HEAP,
    ],
    ['maxParsedBytes / MIB', 'maxParsedBytes * MIB', HEAP],
    ['{ await Promise.all([schemas.close(), thread.close()]); }', '{}', IDLE],
    ['[schemas.close(), thread.close()]', '[]', IDLE],
  ],
  'packages/http-executor/src/response/outcome.ts': [
    ["'{}'", '""', NARROWS],
    ['examined?.kind', 'examined.kind', 'only a body that broke off is not examined'],
    ['examined === undefined', 'false', 'only a body that broke off is not examined'],
  ],
  'packages/http-executor/src/response/parsed-size.ts': [['bytes <= maxBytes', 'true', SLOWER]],
  'packages/http-executor/src/response/read-for-schema.ts': [
    ['isPlainNumber(bytes, start, end)', 'false', SLOWER],
  ],
  'packages/http-executor/src/response/text.ts': [
    ['utf8.equals(bytes.subarray(bytes.length - utf8.length))', 'false', SLOWER],
    ['bytes.length - utf8.length', 'bytes.length + utf8.length', SLOWER],
    ['bytes <= most', 'true', SLOWER],
  ],
  'packages/http-executor/src/thread.ts': [
    ['backstop.aborted', 'false', 'takes ten seconds'],
    ['{ maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 }', '{}', HEAP],
  ],
};
