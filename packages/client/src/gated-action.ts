import { createHash } from 'node:crypto';
import type { ActionArguments, CheckRequest } from '@gatehouse/contracts';
import { NoAnswerError } from './errors.ts';

/** An action, and what it would spend and touch. */
export interface GatedAction {
  readonly check: CheckRequest;
  readonly action: ActionArguments;
}

/**
 * Writes a gated action as JSON once and returns what that text says, frozen at every level.
 * INVARIANT: each later writing of the copy gives the same text, so that what is checked, shown,
 * approved and sent is one action, whatever becomes of the original.
 * @throws {NoAnswerError} when it cannot be written, or would be written in another way again.
 */
export function frozenCopy<T extends Partial<GatedAction>>({ check, action }: T): T {
  try {
    const text = JSON.stringify({ check, action });
    const copy: T = JSON.parse(text, (_key, value) => Object.freeze(value));
    if (JSON.stringify(copy) === text) return copy;
    throw new TypeError('it has numbers with more digits than a double holds; send strings');
  } catch (cause) {
    const why = (cause as Error).message.replace(/\.$/, '');
    const message = `The action cannot be written as JSON: ${why}. Nothing was checked or sent.`;
    throw new NoAnswerError(message, { reason: 'unsendable', maybeReceived: false, cause });
  }
}

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
