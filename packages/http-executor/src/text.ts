import { isUtf8 } from 'node:buffer';

/** Cuts text that is too long and appends `…`. Each unpaired surrogate becomes U+FFFD. */
export function shorten(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))/i;

/** Returns the charset parameter of a content type, or undefined if it is missing or empty. */
export function charsetIn(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = CHARSET.exec(contentType ?? '') ?? [];
  return quoted?.trim() || plain;
}

/** Returns the media type in lower case, or undefined if the content type is blank. */
export function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

/** Byte order marks, which override any declared charset (Encoding standard, "BOM sniff"). */
const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
] as const;

/**
 * Returns the charset of a body, in lower case: from the byte order mark, else from the content
 * type, else UTF-8. An unknown label counts as none (docs/contract.md, "response_type").
 */
export function charsetOf(bytes: Buffer, contentType: string | undefined): string {
  const marked = MARKS.find(([, mark]) => mark.equals(bytes.subarray(0, mark.length)));
  const named = marked?.[0] ?? charsetIn(contentType)?.toLowerCase();
  return named !== undefined && isKnownCharset(named) ? named : 'utf-8';
}

function isKnownCharset(label: string): boolean {
  try {
    return new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Decodes text and drops its byte order mark. Returns undefined if the bytes are invalid in the
 * charset. If `cut` is true, drops an incomplete last character.
 */
export function decodeText(bytes: Uint8Array, charset: string, cut = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/** Decodes the bytes of a latin1 string as UTF-8. Returns undefined if the bytes are not UTF-8. */
export function latin1ToUtf8(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
