import type { Violation } from '@gatehouse/contracts';
import type { Validate } from '@gatehouse/json-schema';
import { type Beginning, type Decoded, jsonOf } from '../decode/decode.ts';

/** Lists what in a body breaks its schema, which applies to the body as it is shown. */
export function validate(
  body: Decoded | Beginning,
  check: Validate | undefined,
): readonly Violation[] {
  return check === undefined || body.kind === 'beginning' ? [] : check(jsonOf(body));
}
