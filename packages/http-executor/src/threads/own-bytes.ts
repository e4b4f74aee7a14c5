/**
 * Copies bytes that are part of a larger buffer. A message to a thread copies the whole buffer, and
 * small buffers share one of 64 KiB, so a cached schema would cost a third more.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
