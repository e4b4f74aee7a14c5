import { isUtf8 } from 'node:buffer';

/** Cuts text that is too long and appends `…`. Each unpaired surrogate becomes U+FFFD. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

/**
 * Decodes text and drops its byte order mark. Returns undefined if the charset is unknown or the
 * bytes are invalid in the charset. If `cut` is true, drops an incomplete last character.
 */
export function decodeText(bytes: Uint8Array, charset: string, cut = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch (error) {
    // A `RangeError` means an unknown charset, and a `TypeError` means invalid bytes.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Decodes the bytes of a latin1 string as UTF-8. Returns undefined if the bytes are not UTF-8. */
export function latin1ToUtf8(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
