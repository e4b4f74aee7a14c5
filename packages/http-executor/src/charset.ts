/** A byte order mark tells more than a label (Encoding standard, section 6, "BOM sniff"). */
const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
] as const;

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))/i;

/** The charset parameter of a content type; an empty one is none. */
export function charsetIn(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = CHARSET.exec(contentType ?? '') ?? [];
  return quoted?.trim() || plain;
}

/** The encoding that an XML declaration names (XML 1.0, section 4.3.3). */
const XML_ENCODING = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/;
const MAX_DECLARATION_BYTES = 128;

/** Charset of a text: from its byte order mark, content type or XML declaration, or UTF-8. */
export function charsetOf(bytes: Buffer, contentType: string | undefined): string {
  const marked = MARKS.find(([, mark]) => mark.equals(bytes.subarray(0, mark.length)));
  const named = marked?.[0] ?? charsetIn(contentType);
  if (named !== undefined) return named;
  const [, declared] = XML_ENCODING.exec(bytes.toString('latin1', 0, MAX_DECLARATION_BYTES)) ?? [];
  return declared ?? 'utf-8';
}

/**
 * Text in a charset, without its byte order mark. Undefined if it is not in that charset, or
 * if the charset is unknown. `cut` says that its end is missing.
 */
export function decodeText(bytes: Uint8Array, charset: string, cut = false): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch (error) {
    // An unknown label, or bytes that the charset does not have.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}
