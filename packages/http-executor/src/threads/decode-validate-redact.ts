import type { Validate } from '@gatehouse/json-schema';
import { type BodyFacts, decode, toJson } from '../decode/decode.ts';
import { type RedactedBody, redact } from '../redact/redact.ts';
import type { Search } from '../redact/search.ts';

interface BodyOptions extends BodyFacts {
  readonly search: Search | undefined;
  readonly check: Validate | undefined;
}

/**
 * Runs three stages together, so that a body is copied to a thread only once. Time and memory are
 * linear in the size of the body.
 */
export function decodeValidateRedact(bytes: Buffer, options: BodyOptions): RedactedBody {
  const { check } = options;
  const decoded = decode(bytes, options);
  const isChecked = check !== undefined && decoded.kind !== 'beginning';
  const violations = isChecked ? check(toJson(decoded)) : [];
  return redact(decoded, violations, options.search);
}
