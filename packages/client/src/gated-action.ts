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
