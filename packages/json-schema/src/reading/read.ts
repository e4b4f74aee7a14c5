import type { Dialect } from './dialects.ts';
import { InvalidSchema, quoteValue } from './invalid-schema.ts';
import { typeOf } from './keywords.ts';
import { lintSchema } from './lint.ts';
import type { Node } from './schema-tree.ts';
import { translate } from './translate.ts';

/** A caller's schema in words that validators agree on. */
export interface ReadSchema {
  readonly dialect: Dialect;
  /** JSON text, without `$schema`. */
  readonly text: string;
}

/** @throws {InvalidSchema} as `lintSchema` does. */
export function readSchema(json: string): ReadSchema {
  const schema: Node = JSON.parse(json);
  if (typeOf(schema) !== 'object')
    throw new InvalidSchema('', `it is ${quoteValue(schema)}, and must be an object`);
  const dialect = lintSchema(schema);
  return { dialect, text: JSON.stringify(translate(schema, dialect)) };
}
