import { createHash } from 'node:crypto';
import type { ActionArguments, CheckRequest } from '@gatehouse/contracts';
import { UNCOVERED_HEADERS } from '@gatehouse/contracts/action';
import { sortedJson } from '@gatehouse/contracts/json';
import { NoAnswerError } from './errors.ts';
import { exactJson } from './exact-json.ts';

export interface GatedAction {
  readonly check: CheckRequest;
  readonly action: ActionArguments;
}

/**
 * Returns a deeply frozen copy of a gated action, parsed from JSON text.
 * INVARIANT: changing the original later does not change the copy or its JSON text.
 * @throws {NoAnswerError} if the check or a required action is missing, or if JSON cannot represent
 * a value exactly.
 */
export function frozenCopy<T extends Partial<GatedAction>>(gated: T, needsAction: boolean): T {
  try {
    const { check, action }: T = Object(gated);
    const parts = needsAction || action !== undefined ? { check, action } : { check };
    const text = exactJson(parts, ['/check', '/action']);
    const copy: T = JSON.parse(text, (_key, value) => Object.freeze(value));
    if (JSON.stringify(copy) === text) return copy;

    throw new TypeError(
      'a number has more digits than a double can represent; write it as a string',
    );
  } catch (cause) {
    const why = (cause as Error).message.replace(/\.$/, '');
    const message = `The check or the action is invalid: ${why}. Nothing was checked or sent.`;
    throw new NoAnswerError(message, { reason: 'unsendable', maybeReceived: false, cause });
  }
}

/**
 * Returns the hexadecimal SHA-256 hash of an action, its check and the reason for approval. The
 * hash ignores the check's `request_id`, because each call may have its own, and its `approval`, so
 * that an approval does not change what was approved. It also ignores the order of JSON members,
 * because some databases change that order.
 */
export function approvalDigest({ action, check }: Partial<GatedAction>, reason: string): string {
  const { request_id: _, approval: __, action: checked, ...claims } = check ?? {};
  const document = sortedJson([action ?? checked, claims, reason]);
  return createHash('sha256').update(document).digest('hex');
}

/** Returns the action as the policy gets it: without the credentials that no digest covers. */
export function withoutCredentials(action: ActionArguments): ActionArguments {
  const { headers } = action;
  if (typeof headers !== 'object' || headers === null) return action;

  const shown = Object.entries(headers).map(([name, value]) => {
    return [name, UNCOVERED_HEADERS.has(name.toLowerCase()) ? 'REDACTED' : value];
  });
  return { ...action, headers: Object.fromEntries(shown) };
}
