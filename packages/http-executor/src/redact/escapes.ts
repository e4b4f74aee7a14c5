/** Text to search for secrets, as received or with its escapes decoded. */
export interface View {
  readonly bytes: Buffer;
  /** Maps the index of a byte in this view to its offset in the original text. */
  readonly offsetOf: (index: number) => number;
}

/** Length of `\u0000`, the longest escape of a single byte. */
export const MAX_ESCAPE_BYTES = 6;

const JSON_ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]/g;

const JSON_OR_PERCENT_ESCAPE = new RegExp(`${JSON_ESCAPE.source}|%[\\da-fA-F]{2}`, 'g');

export const rawView = (text: Buffer): View => ({ bytes: text, offsetOf: (index) => index });

export function withoutJsonEscapes(document: Buffer): View {
  return document.includes('\\') ? withoutEscapes(document, JSON_ESCAPE) : rawView(document);
}

/** Decodes JSON escapes and percent escapes in one pass. Returns undefined for unescaped text. */
export function withoutAnyEscapes(text: Buffer): View | undefined {
  if (!text.includes('\\') && !text.includes('%')) return undefined;
  return withoutEscapes(text, JSON_OR_PERCENT_ESCAPE);
}

function withoutEscapes(text: Buffer, pattern: RegExp): View {
  // Decode into a buffer, because joining millions of strings would exceed a thread's memory.
  const bytes = Buffer.allocUnsafe(text.length);
  let size = 0;
  let at = 0;
  for (const { 0: sequence, index: start } of text.toString('latin1').matchAll(pattern)) {
    size += text.copy(bytes, size, at, start);
    size += bytes.write(unescapeSequence(sequence), size, 'latin1');
    at = start + sequence.length;
  }
  size += text.copy(bytes, size, at);
  // Compute offsets only if a secret is found, because they need four times the text's memory.
  let offsets: Uint32Array | undefined;
  const offsetOf = (index: number): number => {
    offsets ??= offsetsOf(text.toString('latin1'), pattern);
    return offsets[index] ?? text.length;
  };
  return { bytes: bytes.subarray(0, size), offsetOf };
}

/** Maps each decoded byte to the offset in `text` of the byte or escape that it came from. */
function offsetsOf(text: string, pattern: RegExp): Uint32Array {
  // Decoding never lengthens text, because no escape is shorter than the bytes that it encodes.
  const offsets = new Uint32Array(text.length).fill(text.length);
  let size = 0;
  let at = 0;
  const copyUntil = (end: number) => {
    while (at < end) offsets[size++] = at++;
  };
  for (const { 0: sequence, index: start } of text.matchAll(pattern)) {
    copyUntil(start);
    const { length } = unescapeSequence(sequence);
    offsets.fill(start, size, size + length);
    size += length;
    at = start + sequence.length;
  }
  copyUntil(text.length);
  return offsets;
}

/** Decodes an escape sequence to UTF-8. Returns a latin1 string with one character per byte. */
function unescapeSequence(sequence: string): string {
  if (sequence.startsWith('%')) return percentDecoded(sequence);
  const character: string = JSON.parse(`"${sequence}"`);
  return sequence.length === 2 ? character : Buffer.from(character).toString('latin1');
}

export function percentDecoded(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
