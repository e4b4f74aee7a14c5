import { createHash } from 'node:crypto';
import type { GatedAction } from './gated-action.ts';

/**
 * Identifies what an approval is for: exactly this action with this check, for this reason.
 * SHA-256 in hex; the order of members makes no difference, because a database may change it.
 */
export function approvalDigest({ action, check }: Partial<GatedAction>, reason: string): string {
  const document = JSON.stringify([action, check, reason], sorted);
  return createHash('sha256').update(document).digest('hex');
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
