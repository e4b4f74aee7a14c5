import type { Static } from '@sinclair/typebox';
import { OneOf } from '../schema.ts';

/** Outcomes, from least to most strict. The decision is the strictest outcome of all rules. */
export const DECISIONS = ['allow', 'require_approval', 'deny'] as const;
export const Decision = OneOf(DECISIONS, undefined, 'Decision');
export type Decision = Static<typeof Decision>;

/** Returns the strictest outcome, or `allow` for an empty list (`policy-service.md` section 1). */
export function strictest(outcomes: readonly Decision[]): Decision {
  if (outcomes.includes('deny')) return 'deny';
  return outcomes.every((outcome) => outcome === 'allow') ? 'allow' : 'require_approval';
}

/** Outcome that cannot be `allow`, so that omitting a section cannot bypass a rule. */
export const withoutAllow = (description: string) =>
  OneOf(['require_approval', 'deny'], description);

export const missing = (section: string) =>
  withoutAllow(`Outcome if a request has no \`${section}\` section.`);

/** Also lets a profile leave the rule out of the response, so that old checks keep their answer. */
export const missingOrNoEntry = (section: string, rule: string) =>
  OneOf(
    ['no_entry', 'require_approval', 'deny'],
    `Outcome if a request has no \`${section}\` section. With \`no_entry\`, the response does not list the rule \`${rule}\`.`,
  );
