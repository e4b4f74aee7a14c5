import type { Static } from '@sinclair/typebox';
import { Text, Titled } from './schema.ts';

export const Violation = Titled('Violation', {
  pointer: Text('JSON Pointer (RFC 6901) to the invalid or missing member.'),
  message: Text('Says what the JSON member must be, or what is wrong with it.'),
});
export type Violation = Static<typeof Violation>;

/** Maximum number of violations in one problem (docs/contract.md, "Problems"). */
export const MAX_VIOLATIONS = 20;

/** Maximum length of a pointer or a message. Longer texts are cut. */
export const MAX_VIOLATION_CHARS = 300;

export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Describes the first violation in one sentence, and counts the other violations. */
export function summarizeViolations(violations: readonly Violation[]): string {
  const [first, ...others] = violations;
  if (first === undefined) return 'Correct the body.';
  const where = first.pointer === '' ? 'the body' : `\`${first.pointer.slice(0, 200)}\``;
  const listed = Math.min(others.length, MAX_VIOLATIONS - 1);
  const more = listed > 0 ? `; \`errors\` lists ${listed} more` : '';
  return `Correct ${where}: it ${first.message}${more}.`;
}
