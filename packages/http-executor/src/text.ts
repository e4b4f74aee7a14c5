import { isUtf8 } from 'node:buffer';
import { charsetIn } from './content-type.ts';

/** Cuts text that is too long and appends `…`. Each unpaired surrogate becomes U+FFFD. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

/** Byte order marks, which override any declared charset (Encoding standard, "BOM sniff"). */
const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
] as const;

const XML_ENCODING = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;
const MAX_DECLARATION_BYTES = 128;

/**
 * Looks for a charset first in the byte order mark, then in the content type, then in the XML
 * declaration (XML 1.0, section 4.3.3). The default is UTF-8.
 */
export function charsetOf(bytes: Buffer, contentType: string | undefined): string {
  const marked = MARKS.find(([, mark]) => mark.equals(bytes.subarray(0, mark.length)));
  const named = marked?.[0] ?? charsetIn(contentType);
  if (named !== undefined) return named;
  const [, declared] = XML_ENCODING.exec(bytes.toString('latin1', 0, MAX_DECLARATION_BYTES)) ?? [];
  return declared ?? 'utf-8';
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
