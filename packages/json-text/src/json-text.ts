/**
 * A JSON value that is passed on as it is written: its digits, members and their order
 * are never read and rewritten.
 */
export class JsonText {
  readonly text: string;

  /** `text` is one valid JSON value. */
  constructor(text: string) {
    this.text = text;
  }

  /** The text of any JSON value; of another `JsonText` its own. */
  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
  }

  /** The value; numbers of more digits than a double holds lose them. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/** The text behind a byte order mark, which is no JSON but which some writers add. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}
