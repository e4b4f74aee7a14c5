import { Piscina, transferableSymbol, valueSymbol } from 'piscina';

/** Smaller blocks may be shared with others, and are faster to copy than to transfer. */
const MIN_MOVED_BYTES = 256 * 1024;

/** Transfers the bytes in a message to the other thread; they are gone from this one. */
export function moving<T extends object>(message: T, bytes: Uint8Array): T {
  if (bytes.length < MIN_MOVED_BYTES) return message;
  return Piscina.move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: message }) as T;
}
