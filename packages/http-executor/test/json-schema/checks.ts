import type { Violation } from '@gatehouse/contracts';
import { checkBody } from '../../src/json-schema/check.ts';
import { compileSchema } from '../../src/json-schema/compile.ts';

const MAX_PARSED_BYTES = 8 * 1024 * 1024;

const textOf = (schema: object | string) =>
  typeof schema === 'string' ? schema : JSON.stringify(schema);

/** Returns the reason to refuse a schema, or undefined if it is accepted. */
export function refusalOf(schema: object | string): Violation | undefined {
  const compiled = compileSchema(textOf(schema));
  return compiled.ok ? undefined : compiled.reason;
}

/** Returns a function that checks a JSON text, or undefined if the schema is refused. */
export function checkOf(schema: object | string) {
  const compiled = compileSchema(textOf(schema));
  if (!compiled.ok) return undefined;
  return (body: string) => checkBody(compiled.value, Buffer.from(body), MAX_PARSED_BYTES);
}

/** Returns a function that checks a JSON text. Throws if the schema is refused. */
export function mustCheck(schema: object | string) {
  const check = checkOf(schema);
  if (check === undefined) throw new Error(JSON.stringify(refusalOf(schema)));
  return check;
}
