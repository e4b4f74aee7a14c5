import { Piscina, transferableSymbol, valueSymbol } from 'piscina';

/** Smaller blocks may be shared with others, and cost less to copy than to hand over. */
const MIN_MOVED_BYTES = 256 * 1024;

/**
 * Hands the memory of bytes in a message over to the other thread, which costs nothing;
 * they are gone here then.
 */
export function moving<T extends object>(message: T, bytes: Uint8Array): T {
  if (bytes.length < MIN_MOVED_BYTES) return message;
  return Piscina.move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: message }) as T;
}
