import { JsonScanner, JsonToken } from '@gatehouse/contracts/json';
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

/** Ends of outcomes without a body, by its pointer. INVARIANT: `body` is the last member. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ['/body', ',"body_omitted":true}'],
  ['/last_error/body', '},"body_omitted":true}'],
]);

/** Returns an outcome as a store keeps it: without `body`, and without parsing it, if too large. */
export function outcomeRecord({ json }: StoredOutcome): Buffer {
  if (json.length <= MAX_OUTCOME_BYTES) return json;

  const scanner = new JsonScanner(json);
  for (let token = scanner.next(); token !== JsonToken.End; token = scanner.next()) {
    const end = token === JsonToken.Key ? ENDS.get(scanner.pointer()) : undefined;
    const comma = scanner.start - 1;
    if (end !== undefined) return Buffer.concat([json.subarray(0, comma), Buffer.from(end)]);
  }
  return json;
}
