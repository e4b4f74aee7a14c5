import type { Validate } from '@gatehouse/json-schema';
import { type Excerpt, type RedactedBody, redactBeginning, redactBody } from '../redact/body.ts';
import { SearchStopped } from '../redact/search.ts';
import type { Search } from '../redact/spellings.ts';
import { type BodyFacts, decode, jsonOf } from './decode.ts';

export interface ExamineOptions extends BodyFacts {
  /** Characters shown of a body that is not of the type. */
  readonly textChars: number;
  /** Absent when the request has no secrets. */
  readonly search: Search | undefined;
  /** Of the body as it is shown; absent when no schema applies. */
  readonly validate: Validate | undefined;
}

/** A body after decode, validate and redact. */
export type Examined = RedactedBody | Excerpt | Withheld;

interface Withheld {
  readonly kind: 'withheld';
  /** Completes "its body …". */
  readonly reason: string;
}

export const withheld = (reason: string): Withheld => ({ kind: 'withheld', reason });

/**
 * decode → validate → redact. JSON comes back byte for byte without its secrets, whatever the
 * content type says. A body of another type than the one asked for becomes an excerpt. Pure, in
 * time and memory linear in the body.
 */
export function examineBody(bytes: Buffer, options: ExamineOptions): Examined {
  const { validate, search, textChars } = options;
  try {
    const decoded = decode(bytes, options);
    if (decoded.kind === 'beginning') return redactBeginning(decoded, search, textChars);
    const violations = validate?.(jsonOf(decoded)) ?? [];
    return redactBody(decoded, violations, search);
  } catch (error) {
    if (!(error instanceof SearchStopped)) throw error;
    return withheld(error.message);
  }
}
