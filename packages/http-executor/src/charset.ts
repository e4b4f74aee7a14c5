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

/** A declaration that reads as ASCII is not in UTF-16, whatever it says. */
const XML_ENCODING = /^<\?xml\s[^>]*\bencoding\s*=\s*["'](?!utf-?16)([\w.:-]+)["']/i;
const MAX_XML_DECLARATION = 256;

function declaredInXml(bytes: Buffer): string | undefined {
  return XML_ENCODING.exec(bytes.toString('latin1', 0, MAX_XML_DECLARATION))?.[1];
}

/**
 * The charset of a text: that of its byte order mark, its content type or its XML declaration,
 * in this order (RFC 7303, section 3), or UTF-8.
 */
export function charsetOf(bytes: Buffer, contentType: string | undefined): string {
  const marked = MARKS.find(([, mark]) => mark.equals(bytes.subarray(0, mark.length)));
  return marked?.[0] ?? charsetIn(contentType) ?? declaredInXml(bytes) ?? 'utf-8';
}

export const isInUtf8 = (label: string): boolean => /^utf-?8$/i.test(label);

/** Names of MySQL, Python and Windows that the Encoding standard does not have. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ utf8mb3: 'utf-8', utf8mb4: 'utf-8', utf8sig: 'utf-8', cp65001: 'utf-8' },
  ...{ utf16: 'utf-16', utf16le: 'utf-16le', utf16be: 'utf-16be' },
  ...{ cp932: 'shift_jis', cp936: 'gbk', cp949: 'euc-kr', cp950: 'big5' },
};

/** A label, and what Python (`latin_1`), Java (`ISO8859_1`) and careless servers mean by it. */
function* namesOf(label: string): Generator<string> {
  yield label;
  const word = label.toLowerCase().replace(/^[\s']+|[\s',].*$/g, '');
  yield word.replaceAll('_', '-');
  const bare = word.replace(/[_-]/g, '');
  yield bare;
  if (Object.hasOwn(OTHER_NAMES, bare)) yield OTHER_NAMES[bare] as string;
}

function decoderOf(label: string): TextDecoder | undefined {
  for (const name of namesOf(label)) {
    try {
      return new TextDecoder(name, { fatal: true });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return undefined;
}

/**
 * Text in a charset, without its byte order mark; undefined: it is not in that charset, or
 * nobody knows it. `cut` says that its end is missing.
 */
export function decodeText(bytes: Uint8Array, charset: string, cut = false): string | undefined {
  try {
    return decoderOf(charset)?.decode(bytes, { stream: cut });
  } catch (error) {
    // Bytes that the charset does not have.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
