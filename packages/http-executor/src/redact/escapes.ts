/** Text to search, as received or with its escapes decoded. */
export interface View {
  readonly bytes: Buffer;
  /** Maps the index of a byte in this view to its offset in the original text. */
  readonly offsetOf: (index: number) => number;
}

/** Length of `\u0000`, which escapes one byte. */
export const MAX_ESCAPE_BYTES = 6;

const JSON_ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]/g;

const JSON_OR_PERCENT_ESCAPE = new RegExp(`${JSON_ESCAPE.source}|%[\\da-fA-F]{2}`, 'g');

export const rawView = (text: Buffer): View => ({ bytes: text, offsetOf: (index) => index });

export function withoutJsonEscapes(document: Buffer): View {
  return document.includes('\\') ? withoutEscapes(document, JSON_ESCAPE) : rawView(document);
}

/** Decodes one level of JSON and percent escapes. Returns undefined for text without any. */
export function withoutAnyEscapes(text: Buffer): View | undefined {
  if (!text.includes('\\') && !text.includes('%')) return undefined;
  return withoutEscapes(text, JSON_OR_PERCENT_ESCAPE);
}

function withoutEscapes(text: Buffer, pattern: RegExp): View {
  // An escape is never shorter than the bytes that it encodes.
  const bytes = Buffer.allocUnsafe(text.length);
  let size = 0;
  walkEscapes(text, pattern, (byte) => {
    bytes[size] = byte;
    size += 1;
  });
  // Compute offsets only when a secret is found, because they need four times the text's memory.
  let offsets: Uint32Array | undefined;
  const offsetOf = (index: number): number => {
    offsets ??= offsetsOf(text, pattern, size);
    return offsets[index] ?? text.length;
  };
  return { bytes: bytes.subarray(0, size), offsetOf };
}

function offsetsOf(text: Buffer, pattern: RegExp, size: number): Uint32Array {
  const offsets = new Uint32Array(size);
  let index = 0;
  walkEscapes(text, pattern, (_, offset) => {
    offsets[index] = offset;
    index += 1;
  });
  return offsets;
}

/** Visits each unescaped byte with its offset in the text. */
function walkEscapes(
  text: Buffer,
  pattern: RegExp,
  visit: (byte: number, offset: number) => void,
): void {
  let at = 0;
  for (const { 0: sequence, index } of text.toString('latin1').matchAll(pattern)) {
    for (; at < index; at++) visit(text[at] as number, at);
    for (const byte of unescapeSequence(sequence)) visit(byte, index);
    at += sequence.length;
  }
  for (; at < text.length; at++) visit(text[at] as number, at);
}

function unescapeSequence(sequence: string): Uint8Array {
  return sequence.startsWith('%')
    ? Buffer.from(sequence.slice(1), 'hex')
    : Buffer.from(JSON.parse(`"${sequence}"`));
}
