/** Byte order marks, which override any declared charset (Encoding standard, "BOM sniff"). */
const MARKS = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
] as const;

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))/i;

/** Returns the charset parameter of a content type, or undefined if it is missing or empty. */
export function charsetIn(contentType: string | undefined): string | undefined {
  const [, quoted, plain] = CHARSET.exec(contentType ?? '') ?? [];
  return quoted?.trim() || plain;
}

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

/** Returns the media type in lower case, or undefined if the content type is blank. */
export function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() || undefined;
}
