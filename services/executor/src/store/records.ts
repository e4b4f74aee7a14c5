import type { EffectKey, KnownKey, StoredOutcome } from '@gatehouse/http-executor';

/**
 * State of a stored key. `sent` means that a claim holds the key, and that its request may have
 * been sent.
 */
export interface KeyRecord {
  readonly action: string;
  state: 'sent' | 'unknown' | 'done';
  readonly outcome: Buffer | null;
}

/** Says what a record means for a request: another action, then the record's state. */
export function knownKey({ action, state, outcome }: KeyRecord, key: EffectKey): KnownKey {
  if (action !== key.action) return { state: 'other_action' };

  if (state === 'sent') return { state: 'in_progress' };

  if (state === 'unknown' || outcome === null) return { state: 'unknown' };

  return { state: 'done', outcome: { json: outcome } };
}

/** Size limit for a stored outcome. */
const MAX_OUTCOME_BYTES = 1024 * 1024;

/** Returns an outcome as a store keeps it: without `body` if it is too large. */
export function outcomeRecord({ json }: StoredOutcome): Buffer {
  if (json.length <= MAX_OUTCOME_BYTES) return json;

  const { body: _body, last_error, ...rest } = JSON.parse(json.toString());
  const { body: _last, ...error } = Object(last_error);
  const kept = { ...rest, ...(last_error && { last_error: error }), body_omitted: true };
  return Buffer.from(JSON.stringify(kept));
}
