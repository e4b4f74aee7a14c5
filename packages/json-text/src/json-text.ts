/** JSON value kept as text, which preserves all digits and the order of members. */
export class JsonText {
  readonly text: string;

  /** The caller must make sure that `text` is exactly one valid JSON value. */
  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
  }

  /** Parses the text with `JSON.parse`, which rounds numbers and drops repeated members. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/** Removes a byte order mark, which JSON does not allow but some programs write. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}
