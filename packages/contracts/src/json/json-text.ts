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
