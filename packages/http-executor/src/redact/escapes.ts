/** A text as it is, or with its escapes undone. */
export interface View {
  readonly bytes: Buffer;
  /** Where a byte of this view is in the text. */
  readonly offsetOf: (index: number) => number;
}

/** As `\u0000`, for one byte. */
export const LONGEST_ESCAPE = 6;

const JSON_ESCAPE =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\["\\/bfnrt]/g;

const JSON_OR_PERCENT_ESCAPE = new RegExp(`${JSON_ESCAPE.source}|%[\\da-fA-F]{2}`, 'g');

/** A text with its escapes. */
export const asItIs = (text: Buffer): View => ({ bytes: text, offsetOf: (index) => index });

/** Undoes the escapes of a JSON document. */
export function withoutJsonEscapes(document: Buffer): View {
  return document.includes('\\') ? withoutEscapes(document, JSON_ESCAPE) : asItIs(document);
}

/** Undoes one level of escapes, as in JSON and percent-encoded; undefined if there are none. */
export function withoutAnyEscapes(text: Buffer): View | undefined {
  if (!text.includes('\\') && !text.includes('%')) return undefined;
  return withoutEscapes(text, JSON_OR_PERCENT_ESCAPE);
}

function withoutEscapes(text: Buffer, pattern: RegExp): View {
  // No escape is shorter than what it stands for.
  const bytes = Buffer.allocUnsafe(text.length);
  let size = 0;
  walk(text, pattern, (byte) => {
    bytes[size] = byte;
    size += 1;
  });
  // Four times as large as the text, and needed only where a secret is found.
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
  walk(text, pattern, (_, offset) => {
    offsets[index] = offset;
    index += 1;
  });
  return offsets;
}

/** Visits each byte that a text stands for, with its place in the text. */
function walk(text: Buffer, pattern: RegExp, visit: (byte: number, offset: number) => void): void {
  let at = 0;
  for (const { 0: sequence, index } of text.toString('latin1').matchAll(pattern)) {
    for (; at < index; at++) visit(text[at] as number, at);
    for (const byte of undo(sequence)) visit(byte, index);
    at += sequence.length;
  }
  for (; at < text.length; at++) visit(text[at] as number, at);
}

function undo(sequence: string): Uint8Array {
  return sequence.startsWith('%')
    ? Buffer.from(sequence.slice(1), 'hex')
    : Buffer.from(JSON.parse(`"${sequence}"`));
}
