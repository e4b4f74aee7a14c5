/** An execution that reads a response, and its share of the memory. */
interface Reader {
  bytes: number;
  /** True if only the caller still has to receive the answer. */
  isFinished: boolean;
  waiting?: { readonly bytes: number; readonly proceed: () => void } | undefined;
}

export interface MemoryShare {
  /** Sets the size of this share in bytes. Waits while the memory is in use, if it has to grow. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Nothing more is read, but the answer stays in memory until the caller has received it. */
  finish(): void;
  release(): void;
}

/**
 * Bounds the memory that response bodies take in all executions together. An execution whose body
 * grows waits for its turn. The oldest one that still reads does not wait, so that it ends, unless
 * callers who do not read their answers hold `maxBytes`. INVARIANT: at most twice `maxBytes` plus
 * the size of one response is in use.
 */
export class Memory {
  readonly #maxBytes: number;
  /** Executions that have or want memory and still read, oldest first. */
  readonly #readers = new Set<Reader>();
  #used = 0;
  /** Bytes of answers that callers have not received yet. */
  #unread = 0;
  #waiting = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True if further executions could time out while they wait for memory. */
  get isExhausted(): boolean {
    return this.#waiting > MAX_QUEUE * this.#maxBytes || 2 * this.#unread > this.#maxBytes;
  }

  /** Opens an execution's share, which grows step by step. */
  open(): MemoryShare {
    const reader: Reader = { bytes: 0, isFinished: false };
    return {
      reserve: (bytes) => this.#reserve(reader, bytes),
      finish: () => this.#finish(reader),
      release: () => this.#release(reader),
    };
  }

  #reserve(reader: Reader, bytes: number): Promise<void> | undefined {
    this.#readers.add(reader);
    // An earlier attempt may have ended while it was waiting.
    this.#forget(reader);
    if (this.#fits(reader, bytes)) {
      this.#grow(reader, bytes);
      return undefined;
    }

    this.#waiting += bytes;
    return new Promise((proceed) => {
      reader.waiting = { bytes, proceed };
    });
  }

  #fits(reader: Reader, bytes: number): boolean {
    const [oldest] = this.#readers;
    if (reader === oldest && this.#unread < this.#maxBytes) return true;
    return this.#used + bytes - reader.bytes <= this.#maxBytes;
  }

  #grow(reader: Reader, bytes: number): void {
    this.#used += bytes - reader.bytes;
    reader.bytes = bytes;
  }

  #finish(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    this.#forget(reader);
    reader.isFinished = true;
    this.#unread += reader.bytes;
    this.#proceed();
  }

  #release(reader: Reader): void {
    this.#readers.delete(reader);
    this.#forget(reader);
    if (reader.isFinished) this.#unread -= reader.bytes;
    this.#used -= reader.bytes;
    reader.bytes = 0;
    this.#proceed();
  }

  /** Forgets what the execution waits for. */
  #forget(reader: Reader): void {
    this.#waiting -= reader.waiting?.bytes ?? 0;
    reader.waiting = undefined;
  }

  #proceed(): void {
    for (const each of this.#readers) {
      if (each.waiting === undefined) continue;
      const { bytes, proceed } = each.waiting;
      if (!this.#fits(each, bytes)) return;
      each.waiting = undefined;
      this.#waiting -= bytes;
      this.#grow(each, bytes);
      proceed();
    }
  }
}

/** The queue for memory may be this many times as long as the memory is large. */
const MAX_QUEUE = 4;
