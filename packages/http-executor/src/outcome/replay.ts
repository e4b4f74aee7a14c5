import type { ExecutionOutcome } from '@gatehouse/contracts';
import type { StoredOutcome } from '../effects/store.ts';
import type { Turns } from '../turns.ts';
import type { Outcome } from './outcome.ts';

/** Returns the outcome of an earlier execution with the same key, byte for byte. */
export async function toReplay({ json }: StoredOutcome, turns: Turns): Promise<Outcome> {
  using _turn = await turns.take(json.length);
  const stored: ExecutionOutcome = JSON.parse(json.toString());
  const { outcome, status, attempts, redactions = 0 } = stored;
  const error = 'error' in stored ? { error: stored.error } : {};
  const known = status === undefined ? {} : { status };
  return { outcome, ...error, ...known, attempts, redactions, replayed: true, json };
}
