import type { Violation } from '@gatehouse/contracts';
import { parseExact } from '@gatehouse/contracts/json';
import { type Checked, compileValidator } from '@gatehouse/contracts/validation';
import { CHECK_FORMATS } from '@gatehouse/policy';
import type { Static, TSchema } from '@sinclair/typebox';

/** Size limit for arguments. Parsing larger arguments would delay other callers. */
const MAX_BYTES = 256 * 1024;

/** Serializing arguments that are nested thousands of levels deep would overflow the stack. */
const MAX_DEPTH = 500;

/** Returns a parser for tool arguments. The MCP SDK has already parsed numbers as doubles. */
export function argumentsReader<T extends TSchema>(schema: T) {
  const check = compileValidator(schema, CHECK_FORMATS);
  return (given: unknown): Checked<Static<T>> => {
    try {
      const document = Buffer.from(JSON.stringify(given));
      JSON.stringify(Object(given).body, refuseLongArgument);
      if (document.length > MAX_BYTES)
        throw new Error(`the JSON text is longer than ${MAX_BYTES} bytes; send shorter arguments`);

      return check(parseExact(document, MAX_DEPTH));
    } catch (error) {
      // `JSON.stringify` overflows the stack and throws if the arguments are nested too deeply.
      const message = `cannot be read: ${(error as Error).message.replace(/\.$/, '')}`;
      return { ok: false, violations: [{ pointer: '', message }] };
    }
  };
}

/** Refuses an integer of 54 bits or more in a body, because the MCP SDK may have rounded it. */
function refuseLongArgument(_name: string, value: unknown): unknown {
  if (Number.isSafeInteger(value) || typeof value !== 'number' || !/^-?\d+$/.test(`${value}`))
    return value;
  throw new Error(`the number ${value} has too many digits to be exact; send it as a string`);
}

export function listed(violations: readonly Violation[]): string {
  const lines = violations.map(({ pointer, message }) => `- ${pointer || 'arguments'} ${message}`);
  return lines.join('\n');
}
