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
  let at = 0;
  for (const { start, end, decoded } of escapesIn(text, pattern)) {
    size += text.copy(bytes, size, at, start);
    bytes.set(decoded, size);
    size += decoded.length;
    at = end;
  }
  size += text.copy(bytes, size, at);
  // Compute offsets only when a secret is found, because they need four times the text's memory.
  let offsets: Uint32Array | undefined;
  const offsetOf = (index: number): number => {
    offsets ??= offsetsOf(text, pattern, size);
    return offsets[index] ?? text.length;
  };
  return { bytes: bytes.subarray(0, size), offsetOf };
}

/** Returns the offset in `text` of each of the `size` unescaped bytes. */
function offsetsOf(text: Buffer, pattern: RegExp, size: number): Uint32Array {
  const offsets = new Uint32Array(size);
  let index = 0;
  let at = 0;
  const passUntil = (end: number) => {
    for (; at < end; at++, index++) offsets[index] = at;
  };
  for (const { start, end, decoded } of escapesIn(text, pattern)) {
    passUntil(start);
    offsets.fill(start, index, index + decoded.length);
    index += decoded.length;
    at = end;
  }
  passUntil(text.length);
  return offsets;
}

/** Finds the escapes in a text, each with the bytes that it encodes. */
function* escapesIn(text: Buffer, pattern: RegExp) {
  for (const { 0: sequence, index: start } of text.toString('latin1').matchAll(pattern))
    yield { start, end: start + sequence.length, decoded: unescapeSequence(sequence) };
}

function unescapeSequence(sequence: string): Uint8Array {
  return sequence.startsWith('%')
    ? Buffer.from(sequence.slice(1), 'hex')
    : Buffer.from(JSON.parse(`"${sequence}"`));
}
