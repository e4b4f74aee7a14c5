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

/** Decodes one level of JSON and percent escapes. Returns undefined for text without escapes. */
export function withoutAnyEscapes(text: Buffer): View | undefined {
  if (!text.includes('\\') && !text.includes('%')) return undefined;
  return withoutEscapes(text, JSON_OR_PERCENT_ESCAPE);
}

function withoutEscapes(text: Buffer, pattern: RegExp): View {
  // Compute offsets only if a secret is found, because they take four times the text's memory.
  let offsets: Uint32Array | undefined;
  const offsetOf = (index: number): number => {
    if (offsets === undefined) {
      offsets = new Uint32Array(text.length);
      decodeEscapes(text, pattern, offsets);
    }
    return offsets[index] ?? text.length;
  };
  return { bytes: decodeEscapes(text, pattern), offsetOf };
}

/** Decodes escapes, and writes the original offset of each decoded byte to `offsets`. */
function decodeEscapes(text: Buffer, pattern: RegExp, offsets?: Uint32Array): Buffer {
  // Decoding never lengthens text, because no escape is shorter than the bytes that it encodes.
  const bytes = Buffer.allocUnsafe(text.length);
  let size = 0;
  let at = 0;
  const copyUntil = (end: number) => {
    if (offsets !== undefined)
      for (let offset = at; offset < end; offset++) offsets[size + offset - at] = offset;
    size += text.copy(bytes, size, at, end);
  };
  for (const { 0: sequence, index: start } of text.toString('latin1').matchAll(pattern)) {
    copyUntil(start);
    const decoded = unescapeSequence(sequence);
    bytes.set(decoded, size);
    offsets?.fill(start, size, size + decoded.length);
    size += decoded.length;
    at = start + sequence.length;
  }
  copyUntil(text.length);
  offsets?.fill(text.length, size);
  return bytes.subarray(0, size);
}

function unescapeSequence(sequence: string): Uint8Array {
  return sequence.startsWith('%')
    ? Buffer.from(sequence.slice(1), 'hex')
    : Buffer.from(JSON.parse(`"${sequence}"`));
}

export function percentDecoded(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
