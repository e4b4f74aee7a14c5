import {
  byteAt,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  END,
  endOfNumber,
  endOfString,
  JsonFault,
  JsonToken,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  stringAt,
  unquoted,
} from './tokens.ts';

const Expect = { Value: 0, FirstItem: 1, FirstKey: 2, Separator: 3 } as const;
const OBJECT = 1;
const ARRAY = 2;

/**
 * Reads a JSON text (RFC 8259) token by token, without checking UTF-8. Unlike `JSON.parse`,
 * `JsonScanner` reports token positions and finds repeated members (docs/decisions/0002).
 */
export class JsonScanner {
  readonly bytes: Buffer;
  /** Byte offsets of the start and end of the latest token. */
  start = 0;
  end = 0;
  depth = 0;
  readonly #maxDepth: number;
  /** Kind of container at each depth, either `OBJECT` or `ARRAY`. */
  readonly #open: number[] = [0];
  /** Current member name, or its offset, or index of the current array item, at each depth. */
  readonly #steps: (number | string)[] = [0];
  /** Member names found so far at each depth, so that `addName` can find repeats. */
  readonly #names: (Set<string> | undefined)[] = [];
  #at = 0;
  #expect: (typeof Expect)[keyof typeof Expect] = Expect.Value;

  constructor(bytes: Buffer, maxDepth = Number.POSITIVE_INFINITY) {
    this.bytes = bytes;
    this.#maxDepth = maxDepth;
  }

  get written(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  get name(): string {
    return unquoted(this.written);
  }

  /** Remembers a member name, and returns true if the name is new in the current object. */
  addName(name: string): boolean {
    const names = this.#names[this.depth] ?? new Set();
    const { size } = names;
    this.#names[this.depth] = names;
    return names.add(name).size > size;
  }

  /** JSON Pointer to the latest token. Cuts names, and adds no more segments, at `maxChars`. */
  pointer(maxChars = Number.POSITIVE_INFINITY): string {
    let pointer = '';
    for (let depth = 1; depth <= this.depth && pointer.length < maxChars; depth++) {
      const step = this.#steps[depth] as number | string;
      const isOffset = this.#open[depth] === OBJECT && typeof step === 'number';
      // Decode a name once, because a long name can be part of many pointers.
      const name = String(isOffset ? stringAt(this.bytes, step) : step);
      this.#steps[depth] = isOffset ? name : step;
      pointer += `/${name.slice(0, maxChars).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    }
    return pointer;
  }

  /** Reads the next token. @throws {JsonFault} if the text is not JSON or is nested too deeply */
  next(): JsonToken {
    let code = this.#skipBlanks(this.#at);
    if (this.#expect === Expect.Separator) {
      if (this.depth === 0) return this.#finish(code);

      const inObject = this.#open[this.depth] === OBJECT;
      if (code !== COMMA) return this.#close(code, inObject);

      code = this.#skipBlanks(this.#at + 1);
      if (inObject) return this.#key(code);

      this.#steps[this.depth] = (this.#steps[this.depth] as number) + 1;
      this.#expect = Expect.Value;
    }
    this.start = this.#at;
    if (this.#expect === Expect.FirstKey)
      return code === CLOSE_BRACE ? this.#close(code, true) : this.#key(code);

    if (this.#expect === Expect.FirstItem && code === CLOSE_BRACKET)
      return this.#close(code, false);

    return this.#value(code);
  }

  /** Reads up to `tokens` more tokens. Returns true at the end of the text. @throws {JsonFault} */
  read(tokens: number): boolean {
    for (let count = 0; count < tokens; count++) if (this.next() === JsonToken.End) return true;
    return false;
  }

  /** Goes to the last token of the value that begins with the latest token. @throws {JsonFault} */
  skipValue(first: JsonToken): void {
    if (first !== JsonToken.BeginObject && first !== JsonToken.BeginArray) return;
    const outside = this.depth - 1;
    while (this.depth > outside) this.next();
  }

  #skipBlanks(from: number): number {
    let at = from;
    let code = byteAt(this.bytes, at);
    while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) {
      at += 1;
      code = byteAt(this.bytes, at);
    }
    this.#at = at;
    return code;
  }

  #finish(code: number): JsonToken {
    if (code !== END) throw new JsonFault('syntax', this.#at);
    this.start = this.#at;
    this.end = this.#at;
    return JsonToken.End;
  }

  #close(code: number, object: boolean): JsonToken {
    if (code !== (object ? CLOSE_BRACE : CLOSE_BRACKET)) throw new JsonFault('syntax', this.#at);
    this.depth -= 1;
    this.#expect = Expect.Separator;
    this.start = this.#at;
    this.#endAt(this.#at + 1);
    return object ? JsonToken.EndObject : JsonToken.EndArray;
  }

  #key(code: number): JsonToken {
    if (code !== QUOTE) throw new JsonFault('syntax', this.#at);
    this.start = this.#at;
    this.#steps[this.depth] = this.start;
    this.#endAt(endOfString(this.bytes, this.#at));
    if (this.#skipBlanks(this.end) !== COLON) throw new JsonFault('syntax', this.#at);
    this.#at += 1;
    this.#expect = Expect.Value;
    return JsonToken.Key;
  }

  #value(code: number): JsonToken {
    this.#expect = Expect.Separator;
    switch (code) {
      case QUOTE:
        this.#endAt(endOfString(this.bytes, this.#at));
        return JsonToken.String;
      case OPEN_BRACE:
        this.#enter(OBJECT);
        this.#expect = Expect.FirstKey;
        return JsonToken.BeginObject;
      case OPEN_BRACKET:
        this.#enter(ARRAY);
        this.#expect = Expect.FirstItem;
        return JsonToken.BeginArray;
      case LETTER_T:
        return this.#word(TRUE);
      case LETTER_F:
        return this.#word(FALSE);
      case LETTER_N:
        return this.#word(NULL);
      default:
        this.#endAt(endOfNumber(this.bytes, this.#at));
        return JsonToken.Number;
    }
  }

  #enter(kind: number): void {
    if (this.depth === this.#maxDepth) throw new JsonFault('depth', this.#at);
    this.depth += 1;
    this.#open[this.depth] = kind;
    this.#steps[this.depth] = 0;
    this.#names[this.depth] = undefined;
    this.#endAt(this.#at + 1);
  }

  #word(word: Uint8Array): JsonToken {
    for (let at = 1; at < word.length; at++) {
      if (byteAt(this.bytes, this.#at + at) !== word[at]) throw new JsonFault('syntax', this.#at);
    }
    this.#endAt(this.#at + word.length);
    return JsonToken.Word;
  }

  /** Ends the token at offset `end`. A negative `end` means a syntax error at offset `~end`. */
  #endAt(end: number): void {
    if (end < 0) throw new JsonFault('syntax', ~end);
    this.end = end;
    this.#at = end;
  }
}

const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const [TAB, LINE_FEED, RETURN] = [0x09, 0x0a, 0x0d];
const [LETTER_F, LETTER_N, LETTER_T] = [0x66, 0x6e, 0x74];
