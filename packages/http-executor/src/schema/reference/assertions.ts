import { allowedValues } from '../body-check.ts';
import { areUnique, equalToOneOf } from '../equality.ts';
import { FORMATS, formatMessage } from '../formats.ts';
import { isMultiple } from '../multiple-of.ts';
import { compilePattern } from '../pattern.ts';
import { typeOf } from '../reading/keywords.ts';
import { fail, type Judge } from './evaluation.ts';

/** Says what a value must be, and finds out whether it is. */
interface Assertion {
  readonly holds: (value: never) => boolean;
  readonly message: string;
}

type Assert = (wanted: never) => Assertion | undefined;

const bound = (sign: string, keeps: (value: number, limit: number) => boolean): Assert => {
  return (limit: number) => ({
    holds: (value: number) => keeps(value, limit),
    message: `must be ${sign} ${limit}`,
  });
};

const size = (what: string, compare: '>' | '<', sizeOf: (value: never) => number): Assert => {
  const fewer = compare === '<';
  return (limit: number) => ({
    holds: (value) => (fewer ? sizeOf(value) >= limit : sizeOf(value) <= limit),
    message: `must NOT have ${fewer ? 'fewer' : 'more'} than ${limit} ${what}`,
  });
};

const characters = (text: string) => text.length - (text.match(PAIRS)?.length ?? 0);
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;
const items = (list: readonly unknown[]) => list.length;
const members = (object: object) => Object.keys(object).length;

/** By the JSON type of the values that they judge. */
const ASSERTIONS: Readonly<
  Record<'number' | 'string' | 'array' | 'object', Record<string, Assert>>
> = {
  number: {
    minimum: bound('>=', (value, limit) => value >= limit),
    maximum: bound('<=', (value, limit) => value <= limit),
    exclusiveMinimum: bound('>', (value, limit) => value > limit),
    exclusiveMaximum: bound('<', (value, limit) => value < limit),
    multipleOf: (factor: number) => ({
      holds: (value: number) => isMultiple(factor, value),
      message: `must be multiple of ${factor}`,
    }),
    format: (name: string) => formatAssertion(name, 'number'),
  },
  string: {
    minLength: size('characters', '<', characters),
    maxLength: size('characters', '>', characters),
    pattern: (source: string) => {
      const pattern = compilePattern(source);
      return {
        holds: (text: string) => pattern.test(text),
        message: `must match pattern "${source}"`,
      };
    },
    format: (name: string) => formatAssertion(name, 'string'),
  },
  array: {
    minItems: size('items', '<', items),
    maxItems: size('items', '>', items),
    uniqueItems: (unique: boolean) =>
      unique ? { holds: areUnique, message: 'must NOT have duplicate items' } : undefined,
  },
  object: {
    minProperties: size('properties', '<', members),
    maxProperties: size('properties', '>', members),
  },
};

type Test = (value: never) => boolean;

/** Formats that are not known are annotations. */
function formatAssertion(name: string, type: 'number' | 'string'): Assertion | undefined {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined || typeof format === 'boolean') return undefined;
  const isPlain = typeof format === 'function' || format instanceof RegExp;
  const { validate, type: own = 'string' } = isPlain ? { validate: format } : (format as Typed);
  if (own !== type) return undefined;
  const holds = validate instanceof RegExp ? (text: string) => validate.test(text) : validate;
  return { holds: holds as Test, message: formatMessage(name) };
}

interface Typed {
  readonly validate: RegExp | Test;
  readonly type?: 'number' | 'string';
}

type TypeName = keyof typeof ASSERTIONS;

/** The judges of all keywords that need no subschema. */
export function assertionsOf(schema: Readonly<Record<string, unknown>>): Judge[] {
  const judges = Object.keys(ASSERTIONS).flatMap((type) =>
    Object.entries(ASSERTIONS[type as TypeName]).flatMap(([keyword, assert]) => {
      const wanted = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      const assertion = wanted === undefined ? undefined : assert(wanted as never);
      return assertion === undefined ? [] : [judgeOf(assertion, type as TypeName)];
    }),
  );
  return [...anyType(schema), ...judges];
}

function judgeOf({ holds, message }: Assertion, type?: TypeName): Judge {
  return (value, at) => {
    if (type !== undefined && typeOf(value) !== type) return true;
    return holds(value as never) || fail(at, message);
  };
}

function anyType(schema: Readonly<Record<string, unknown>>): Judge[] {
  const { type, enum: allowed } = schema;
  const judges: Judge[] = [];
  if (type !== undefined) judges.push(typeJudge([type].flat() as string[]));
  if (Object.hasOwn(schema, 'const')) {
    const holds = equalToOneOf([schema.const]);
    judges.push(judgeOf({ holds, message: allowedValues([schema.const]) }));
  }
  if (Array.isArray(allowed)) {
    const holds = equalToOneOf(allowed);
    judges.push(judgeOf({ holds, message: allowedValues(allowed) }));
  }
  return judges;
}

function typeJudge(types: readonly string[]): Judge {
  const allowed = new Set(types);
  const holds = (value: unknown) =>
    allowed.has(typeOf(value)) || (allowed.has('integer') && Number.isInteger(value));
  return judgeOf({ holds, message: `must be ${types.join(',')}` });
}
