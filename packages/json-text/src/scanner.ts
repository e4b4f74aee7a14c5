import {
  byteAt,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  END,
  endOfNumber,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './tokens.ts';

/** `Key` is the name of a member; `Word` is `true`, `false` or `null`. */
export const Token = {
  End: 0,
  BeginObject: 1,
  EndObject: 2,
  BeginArray: 3,
  EndArray: 4,
  Key: 5,
  String: 6,
  Number: 7,
  Word: 8,
} as const;
export type Token = (typeof Token)[keyof typeof Token];

export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly reason: 'syntax' | 'depth';
  readonly position: number;

  constructor(reason: JsonFault['reason'], position: number) {
    super(reason === 'depth' ? 'nested too deep' : `not valid JSON at position ${position}`);
    this.reason = reason;
    this.position = position;
  }
}

const Expect = { Value: 0, FirstItem: 1, FirstKey: 2, Separator: 3 } as const;
const OBJECT = 1;
const ARRAY = 2;
const INITIAL_DEPTH = 32;

/** Reads a JSON text (RFC 8259) token by token (docs/decisions/0002); does not check UTF-8. */
export class JsonScanner {
  readonly bytes: Buffer;
  /** Of the latest token. */
  start = 0;
  end = 0;
  /** Objects and arrays that are open. */
  depth = 0;
  readonly #length: number;
  readonly #maxDepth: number;
  /** `OBJECT` or `ARRAY` by depth. */
  #open: Uint8Array = new Uint8Array(INITIAL_DEPTH);
  #at = 0;
  #expect: (typeof Expect)[keyof typeof Expect] = Expect.Value;

  constructor(bytes: Buffer, maxDepth = Number.POSITIVE_INFINITY) {
    this.bytes = bytes;
    this.#length = bytes.length;
    this.#maxDepth = maxDepth;
  }

  get written(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** @throws {JsonFault} where the text is no JSON, or nests deeper than the maximum. */
  next(): Token {
    let code = this.#skipBlanks(this.#at);
    if (this.#expect === Expect.Separator) {
      if (this.depth === 0) return this.#finish(code);
      const inObject = this.#open[this.depth] === OBJECT;
      if (code !== COMMA) return this.#close(code, inObject);
      code = this.#skipBlanks(this.#at + 1);
      if (inObject) {
        this.start = this.#at;
        return this.#key(code);
      }
      this.#expect = Expect.Value;
    }
    this.start = this.#at;
    if (this.#expect === Expect.FirstKey)
      return code === CLOSE_BRACE ? this.#close(code, true) : this.#key(code);
    if (this.#expect === Expect.FirstItem && code === CLOSE_BRACKET)
      return this.#close(code, false);
    return this.#value(code);
  }

  #skipBlanks(from: number): number {
    let at = from;
    let code = at < this.#length ? (this.bytes[at] as number) : END;
    while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) {
      at += 1;
      code = byteAt(this.bytes, at);
    }
    this.#at = at;
    return code;
  }

  #finish(code: number): Token {
    if (code !== END) this.#fail(this.#at);
    this.start = this.#at;
    this.end = this.#at;
    return Token.End;
  }

  #close(code: number, object: boolean): Token {
    if (code !== (object ? CLOSE_BRACE : CLOSE_BRACKET)) this.#fail(this.#at);
    this.depth -= 1;
    this.#expect = Expect.Separator;
    this.start = this.#at;
    this.#endAt(this.#at + 1);
    return object ? Token.EndObject : Token.EndArray;
  }

  #key(code: number): Token {
    if (code !== QUOTE) this.#fail(this.#at);
    this.end = this.#stringEnd(this.#at);
    if (this.#skipBlanks(this.end) !== COLON) this.#fail(this.#at);
    this.#at += 1;
    this.#expect = Expect.Value;
    return Token.Key;
  }

  #value(code: number): Token {
    this.#expect = Expect.Separator;
    switch (code) {
      case QUOTE:
        this.#endAt(this.#stringEnd(this.#at));
        return Token.String;
      case OPEN_BRACE:
        this.#enter(OBJECT);
        this.#expect = Expect.FirstKey;
        return Token.BeginObject;
      case OPEN_BRACKET:
        this.#enter(ARRAY);
        this.#expect = Expect.FirstItem;
        return Token.BeginArray;
      case LETTER_T:
        return this.#word(TRUE);
      case LETTER_F:
        return this.#word(FALSE);
      case LETTER_N:
        return this.#word(NULL);
      default: {
        const end = endOfNumber(this.bytes, this.#at);
        if (end < 0) this.#fail(~end);
        this.#endAt(end);
        return Token.Number;
      }
    }
  }

  #enter(kind: number): void {
    if (this.depth === this.#maxDepth) throw new JsonFault('depth', this.#at);
    this.depth += 1;
    if (this.depth === this.#open.length) this.#makeRoom();
    this.#open[this.depth] = kind;
    this.#endAt(this.#at + 1);
  }

  #makeRoom(): void {
    const larger = new Uint8Array(2 * this.#open.length);
    larger.set(this.#open);
    this.#open = larger;
  }

  #word(word: Uint8Array): Token {
    for (let at = 1; at < word.length; at++) {
      if (byteAt(this.bytes, this.#at + at) !== word[at]) this.#fail(this.#at);
    }
    this.#endAt(this.#at + word.length);
    return Token.Word;
  }

  #stringEnd(open: number): number {
    const end = endOfString(this.bytes, open);
    if (end < 0) this.#fail(~end);
    return end;
  }

  #endAt(end: number): void {
    this.end = end;
    this.#at = end;
  }

  #fail(position: number): never {
    throw new JsonFault('syntax', position);
  }
}

const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const [TAB, LINE_FEED, RETURN] = [0x09, 0x0a, 0x0d];
const [LETTER_F, LETTER_N, LETTER_T] = [0x66, 0x6e, 0x74];
