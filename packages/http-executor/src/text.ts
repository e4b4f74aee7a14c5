import { isUtf8 } from 'node:buffer';
import { charsetIn } from '@gatehouse/contracts/action';

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

/** Decodes the bytes of a latin1 string as UTF-8. Returns undefined if the bytes are not UTF-8. */
export function latin1ToUtf8(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
