import type { Violation } from '@gatehouse/contracts';
import type { Validate } from '@gatehouse/json-schema';
import { type Beginning, type Decoded, toJson } from '../decode/decode.ts';

/** Lists the violations of a body; its schema applies to the JSON that is shown. */
export function validate(
  body: Decoded | Beginning,
  check: Validate | undefined,
): readonly Violation[] {
  return check === undefined || body.kind === 'beginning' ? [] : check(toJson(body));
}
