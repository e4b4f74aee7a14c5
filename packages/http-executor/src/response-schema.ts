import { createHash } from 'node:crypto';
import type { SchemaViolation } from '@gatehouse/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { nestsTooDeep } from './json-depth.ts';
import { Refusal } from './refusal.ts';

const MAX_CACHED = 256;
const MAX_VIOLATIONS = 20;
const DIALECT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

/** Checks a response body; resolves with the violations, none when it is valid. */
export type ResponseCheck = (body: unknown) => Promise<readonly SchemaViolation[]>;

/** The stage that turns a caller's schema into a check; a `Refusal` when it is not usable. */
export interface ResponseSchemas {
  compile(schema: Readonly<Record<string, unknown>>): Promise<ResponseCheck>;
}

/** Schemas compiled by Ajv, draft 2020-12, kept by content in a bounded cache. */
export function createResponseSchemas(maxCached = MAX_CACHED): ResponseSchemas {
  const cache = new LRUCache<string, ResponseCheck>({ max: maxCached });
  return {
    compile: async (schema) => {
      if (nestsTooDeep(schema)) throw invalidSchema('it is nested too deep');
      const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const check = compileSchema(schema);
      cache.set(key, check);
      return check;
    },
  };
}

function compileSchema(schema: Readonly<Record<string, unknown>>): ResponseCheck {
  refuseKeywords(schema);
  const validate = compileWithAjv(schema);
  return async (body) => {
    try {
      if (validate(body) === true) return [];
    } catch {
      return [{ path: '', message: 'could not be checked: the schema or the body is too complex' }];
    }
    return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(({ instancePath, message }) => ({
      path: instancePath,
      message: `${instancePath === '' ? 'the body' : instancePath} ${message ?? 'is not valid'}`,
    }));
  };
}

/** A fresh Ajv each time: a shared one keeps every schema for ever, and a second use of an `$id` makes it throw. */
function compileWithAjv(schema: Readonly<Record<string, unknown>>) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    ownProperties: true,
    logger: false,
    multipleOfPrecision: 9,
  });
  addFormats.default(ajv);
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw invalidSchema(error instanceof RangeError ? 'it is too complex' : (error as Error).message);
  }
}

/** INVARIANT: `$async` never reaches Ajv, which would answer with a promise, and a promise is truthy. */
function refuseKeywords(schema: Readonly<Record<string, unknown>>): void {
  const { $schema } = schema;
  if ($schema !== undefined && !(typeof $schema === 'string' && DIALECT.test($schema))) {
    throw invalidSchema('its `$schema` must be `https://json-schema.org/draft/2020-12/schema` or left out');
  }
  if (hasKey(schema, '$async')) throw invalidSchema('it may not use `$async`');
}

function hasKey(node: unknown, key: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return Object.hasOwn(node, key) || Object.values(node).some((child) => hasKey(child, key));
}

function invalidSchema(why: string): Refusal {
  const message = `is not a usable JSON Schema: ${why}`;
  return new Refusal('InvalidResponseSchema', `Correct \`response_schema\`: it ${message}.`, [
    { pointer: '/response_schema', message },
  ]);
}
