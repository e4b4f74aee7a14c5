import { createHmac, hash } from 'node:crypto';
import { type ActionArguments, failure, type Result, success } from '@gatehouse/contracts';
import { UNCOVERED_HEADERS } from '@gatehouse/contracts/action';
import { JsonText, sortedJson } from '@gatehouse/contracts/json';
import type { EffectKey } from './store.ts';

const KEY = /^[!#-~]{1,255}$/;

/** Reads an `Idempotency-Key` header (docs/contract.md, "Idempotency keys"). */
export function readKey(header: string): Result<string> {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (KEY.test(key)) return success(key);
  return failure(
    'Send one `idempotency-key` of 1 to 255 visible ASCII characters without double quotes in it.',
  );
}

interface Keyed {
  readonly action: ActionArguments;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly digest: string;
  readonly caller: string | undefined;
}

/**
 * Hashes a key and what it covers, for a store. The values that the digest leaves out are hashed
 * with the key, which the store does not contain, so that no one can guess them from the store.
 */
export function effectKey(key: string, { action, headers, digest, caller }: Keyed): EffectKey {
  const { response_schema: schema, response_type, fields, max_bytes, links, timeout_ms } = action;
  const uncovered = [...UNCOVERED_HEADERS].map((name) => headers.get(name) ?? null);
  const secrets = createHmac('sha256', key).update(JSON.stringify(uncovered)).digest('base64url');
  const shape = [response_type, fields, max_bytes, links, timeout_ms].map((each) => each ?? null);
  const rules = schema == null ? null : sortedJson(JsonText.of(schema).parse());
  const covered = [digest, secrets, rules, ...shape];
  return {
    id: sha256([caller ?? null, key]),
    action: sha256(covered),
    caller,
  };
}

const sha256 = (parts: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(parts), 'base64url');
