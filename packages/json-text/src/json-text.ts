/** JSON value as text, which keeps all digits and the order of members. */
export class JsonText {
  readonly text: string;

  /** `text` is one valid JSON value. */
  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
  }

  /** Loses digits that a double cannot represent, and repeated members except the last. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/** Removes a byte order mark, which is not JSON but which some programs write. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}
