import { type Accepted, HARMLESS, NARROWS, SLOWER } from './reasons.ts';

const SAME_VERDICT = 'the other validator judges alike, and is slower';

/** As `ACCEPTED`, of what reads schemas and judges by them. */
export const ACCEPTED_IN_SCHEMAS: Accepted = {
  'packages/http-executor/src/schema/ajv.ts': [
    ["'compilePattern'", '""', 'for code that Ajv writes to files'],
  ],
  'packages/http-executor/src/schema/ajv-check.ts': [
    ['[]', HARMLESS, NARROWS],
    ['!(error instanceof TooManyErrors)', 'false', 'nothing else is thrown there'],
  ],
  'packages/http-executor/src/schema/check.ts': [
    ["schema.engine === 'ajv'", 'false', SAME_VERDICT],
    ["schema.engine === 'ajv'", 'true', SAME_VERDICT],
    ["'ajv'", '""', SAME_VERDICT],
  ],
  'packages/http-executor/src/schema/response-schemas.ts': [
    ['inline === undefined', 'true', SLOWER],
    ['text.length <= MAX_KEY_CHARS', 'true', SLOWER],
    ['text.length <= MAX_KEY_CHARS', 'false', SLOWER],
    ['text.length <= MAX_KEY_CHARS', 'text.length < MAX_KEY_CHARS', SLOWER],
    ['text.length <= MAX_KEY_CHARS', 'text.length > MAX_KEY_CHARS', SLOWER],
    ["'base64'", '""', 'another spelling of the hash'],
  ],
  'packages/http-executor/src/schema/compile-worker.ts': [
    ['metaValidator(schema.dialect);', ';', SLOWER],
  ],
  'packages/http-executor/src/schema/equality.ts': [
    ["typeof value !== 'object' || value === null", 'false', SLOWER],
    [
      "typeof value !== 'object' || value === null",
      "typeof value !== 'object' && value === null",
      SLOWER,
    ],
    ["typeof value !== 'object'", 'false', SLOWER],
    ['value === null', 'false', SLOWER],
    ['a < b', 'a <= b', 'no member is there twice'],
    ['a < b', 'a >= b', 'any one order will do'],
    ["','", '""', 'a quote stands between two members as well'],
    ["'array'", '""', 'the meta-schema has seen to it'],
  ],
  'packages/http-executor/src/schema/inline-check.ts': [
    ["'\\\\u'", '""', SLOWER],
    ['false', 'true', SLOWER],
    ['text.length >= min', 'true', SLOWER],
    ['{ return undefined; }', '{}', 'undefined without saying so'],
  ],
  'packages/http-executor/src/schema/linear-pattern.ts': [
    [
      "case 'Character': return characterToRe2(node.value);",
      "case 'Character':",
      'a class of one character means the same',
    ],
    ['default: return unsupportedConstruct(node.type);', 'default:', NARROWS],
    ["node.kind !== 'property'", 'false', NARROWS],
  ],
  'packages/http-executor/src/schema/meta-schemas.ts': [
    ['[]', HARMLESS, NARROWS],
    ["'is not valid'", '""', NARROWS],
  ],
  'packages/http-executor/src/schema/multiple-of.ts': [["'0'", '""', NARROWS]],
  'packages/http-executor/src/schema/time-budget.ts': [
    ['{ this.#context.work = undefined; }', '{}', 'more memory, no other answer'],
  ],
  'packages/http-executor/src/schema/unambiguous.ts': [
    ['at < document.length', 'at <= document.length', 'nothing stands there'],
    ['at < document.length', 'true', 'each string of JSON has an end'],
  ],
  'packages/http-executor/src/schema/body-check.ts': [["'is not valid'", '""', NARROWS]],
};
