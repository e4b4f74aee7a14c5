/** One execution's share of the memory for response bodies. */
interface Reader {
  bytes: number;
  waiting?: { readonly bytes: number; readonly proceed: () => void } | undefined;
}

export interface MemoryShare {
  /** Sets the size of this share in bytes. Waits while the memory is in use, if it has to grow. */
  reserve(bytes: number): Promise<void> | undefined;
  release(): void;
}

/**
 * Bounds the memory that response bodies take in all executions together. An execution whose body
 * grows waits for its turn. INVARIANT: the oldest execution never waits, so that it ends and frees
 * its memory. So at most `maxBytes` plus the size of one response is in use.
 */
export class Memory {
  readonly #maxBytes: number;
  /** Executions that have or want memory, oldest first. */
  readonly #readers = new Set<Reader>();
  #used = 0;
  #waiting = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True if so much memory is waited for that further executions could time out. */
  get isExhausted(): boolean {
    return this.#waiting > MAX_QUEUE * this.#maxBytes;
  }

  /** Opens an execution's share, which grows step by step. */
  open(): MemoryShare {
    const reader: Reader = { bytes: 0 };
    return {
      reserve: (bytes) => this.#reserve(reader, bytes),
      release: () => this.#release(reader),
    };
  }

  #reserve(reader: Reader, bytes: number): Promise<void> | undefined {
    this.#readers.add(reader);
    // An earlier attempt may have ended while it was waiting.
    this.#waiting -= reader.waiting?.bytes ?? 0;
    reader.waiting = undefined;
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
    return reader === oldest || this.#used + bytes - reader.bytes <= this.#maxBytes;
  }

  #grow(reader: Reader, bytes: number): void {
    this.#used += bytes - reader.bytes;
    reader.bytes = bytes;
  }

  #release(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    this.#used -= reader.bytes;
    if (reader.waiting !== undefined) this.#waiting -= reader.waiting.bytes;
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
