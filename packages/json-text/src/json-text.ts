/** A JSON value that is passed on as it is written, with its digits, members and their order. */
export class JsonText {
  readonly text: string;

  /** `text` is one valid JSON value. */
  constructor(text: string) {
    this.text = text;
  }

  /** The text of any JSON value, or of another `JsonText`. */
  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
  }

  /** Digits that no double holds are lost, and repeated members but for the last. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}

/** The text behind a byte order mark, which is no JSON but which some writers add. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? bytes.subarray(3) : bytes;
}
