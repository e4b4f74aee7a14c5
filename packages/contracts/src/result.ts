/** A value, or the reason why there is none. */
export type Result<Value, Reason = string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Reason };

export const success = <Value>(value: Value) => ({ ok: true, value }) as const;

export const failure = <Reason>(reason: Reason) => ({ ok: false, reason }) as const;
