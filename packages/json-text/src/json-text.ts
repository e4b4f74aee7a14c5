/** JSON value as text, so that it keeps all digits and the order of its members. */
export class JsonText {
  readonly text: string;

  /** `text` must be one valid JSON value. */
  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value));
  }

  /** Parses the text. Rounds numbers to doubles, and keeps only the last of repeated members. */
  parse(): unknown {
    return JSON.parse(this.text);
  }
}
