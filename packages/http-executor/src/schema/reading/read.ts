import type { Dialect } from './dialects.ts';
import { lintSchema } from './lint.ts';
import type { Node } from './places.ts';
import { translate } from './translate.ts';

/** A caller's schema in words that validators agree on. */
export interface ReadSchema {
  readonly dialect: Dialect;
  /** JSON text, without `$schema`. */
  readonly text: string;
}

/** @throws {InvalidSchema} as `lintSchema` does. */
export function readSchema(text: string): ReadSchema {
  const schema: Node = JSON.parse(text);
  const dialect = lintSchema(text, schema);
  return { dialect, text: JSON.stringify(translate(schema, dialect)) };
}
