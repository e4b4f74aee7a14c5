/** As undici's limit of a head: what is longer is left to undici, which refuses it. */
const MAX_BYTES = 16 * 1024;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

const INTERIM = /^HTTP\/\d\.\d 1(?!01)\d\d\b/;
const FINAL = /^HTTP\/\d\.\d [2-9]/;
const REPEATED = /\ncontent-length:[^\n]*(?:,|\n(?:.*\n)?content-length:)/is;
const CONTENT_LENGTH = /^content-length:(.*)$/is;

/**
 * What the parser is to see of the answers on a connection, since undici takes no `100` that
 * nobody asked for, and no length that is told twice:
 * - interim answers, but for the 101 that undici refuses, are dropped (RFC 9110, section 15.2);
 * - a `content-length` that repeats its value counts once (section 8.6).
 *
 * INVARIANT: a byte is held back or dropped only between the begin of an exchange and the end
 * of the head of its final answer.
 */
export class HeadFilter {
  #at: 'status' | 'interim' | 'headers' | 'elsewhere' = 'elsewhere';
  /** A line whose end has not arrived. */
  #unfinished: Buffer = NOTHING;
  #interimBytes = 0;
  #length: string | undefined;

  /** The next bytes are those of a new answer. */
  begin(): void {
    this.#at = 'status';
    this.#unfinished = NOTHING;
    this.#interimBytes = 0;
    this.#length = undefined;
  }

  take(bytes: Buffer): Buffer {
    if (this.#at === 'elsewhere') return bytes;
    if (this.#at === 'status' && this.#unfinished.length === 0 && isPlain(bytes)) {
      this.#at = 'elsewhere';
      return bytes;
    }
    return this.#filter(
      this.#unfinished.length === 0 ? bytes : Buffer.concat([this.#unfinished, bytes]),
    );
  }

  #filter(bytes: Buffer): Buffer {
    const shown: Buffer[] = [];
    let start = 0;
    let end = bytes.indexOf(LF) + 1;
    while (end > 0 && this.#at !== 'elsewhere') {
      shown.push(this.#shownOf(bytes.subarray(start, end)));
      start = end;
      end = bytes.indexOf(LF, start) + 1;
    }
    this.#unfinished = bytes.subarray(start);
    if (this.#at === 'elsewhere' || !this.#mayHold(this.#unfinished)) {
      this.#at = 'elsewhere';
      shown.push(this.#unfinished);
      this.#unfinished = NOTHING;
    }
    return Buffer.concat(shown);
  }

  #shownOf(bytes: Buffer): Buffer {
    const line = bytes.toString('latin1');
    switch (this.#at) {
      case 'status':
        this.#at = INTERIM.test(line) ? 'interim' : FINAL.test(line) ? 'headers' : 'elsewhere';
        break;
      case 'headers':
        if (isBlank(line)) this.#at = 'elsewhere';
        return this.#withoutRepetition(line) ?? bytes;
    }
    if (this.#at !== 'interim') return bytes;
    this.#interimBytes = isBlank(line) ? 0 : this.#interimBytes + bytes.length;
    if (isBlank(line)) this.#at = 'status';
    return NOTHING;
  }

  /** Undefined: the line stays as it is. */
  #withoutRepetition(line: string): Buffer | undefined {
    const [, text] = CONTENT_LENGTH.exec(line) ?? [];
    if (text === undefined) return undefined;
    const [first = '', ...others] = text.split(',').map((each) => each.trim());
    if (others.some((each) => each !== first)) return undefined;
    if (this.#length === first) return NOTHING;
    if (this.#length !== undefined) return undefined;
    this.#length = first;
    return others.length === 0 ? undefined : Buffer.from(`content-length: ${first}\r\n`, 'latin1');
  }

  #mayHold(unfinished: Buffer): boolean {
    if (unfinished.length + this.#interimBytes > MAX_BYTES) return false;
    return this.#at !== 'status' || 'HTTP/'.startsWith(unfinished.toString('latin1', 0, 5));
  }
}

/** A final head that is whole, with one length at most: nearly every answer begins so. */
function isPlain(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = bytes.toString('latin1', 0, end);
  return FINAL.test(head) && !REPEATED.test(head);
}

const isBlank = (line: string): boolean => line === '\r\n' || line === '\n';
