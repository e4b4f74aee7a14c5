import type { Static } from '@sinclair/typebox';
import { Text, Titled } from './schema.ts';

/** One thing that is wrong with a document, and where. */
export const Violation = Titled('Violation', {
  pointer: Text('JSON Pointer (RFC 6901) to the offending or missing member.'),
  message: Text('What the member has to be.'),
});
export type Violation = Static<typeof Violation>;

/** A problem lists at most this many violations (contract, section 1). */
export const MAX_VIOLATIONS = 20;

/** Pointers and messages of violations are shortened to this (contract, section 3). */
export const MAX_VIOLATION_CHARS = 300;

/** Escapes one key for use in a JSON Pointer (RFC 6901). */
export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A pointer is shown in a sentence up to this length, and in full in `errors`. */
const SHOWN_POINTER = 200;

/** One sentence that says what to correct first, and how many more violations there are. */
export function summarizeViolations(violations: readonly Violation[]): string {
  const [first, ...others] = violations;
  if (first === undefined) return 'Correct the body.';
  const where = first.pointer === '' ? 'the body' : `\`${first.pointer.slice(0, SHOWN_POINTER)}\``;
  const listed = Math.min(others.length, MAX_VIOLATIONS - 1);
  const more = listed > 0 ? `, and ${listed} more listed in \`errors\`` : '';
  return `Correct ${where}: it ${first.message}${more}.`;
}
